{{- define "c.name" -}}c{{- end -}}
