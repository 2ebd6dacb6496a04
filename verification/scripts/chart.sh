#!/usr/bin/env bash
# Packs the Helm chart into a folder, as `helm package` does. Needs Go.
#
#   verification/scripts/chart.sh FOLDER
set -euo pipefail
folder=$(realpath "$1")
cd "$(dirname "$0")/../tools/chart"
command -v go >/dev/null || { echo "go is not on the PATH: Go 1.26 or newer packs the chart" >&2; exit 1; }
go run ./pack ../../../deploy/charts/metadata-propagation-policy "$folder"
