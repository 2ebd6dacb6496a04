module github.com/plexsphere/metadata-propagation-policy/tools/policy-server

go 1.26.0
