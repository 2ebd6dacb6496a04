module github.com/plexsphere/metadata-propagation-policy/scripts/policy-server

go 1.26.0
