{{- define "c.name" -}}d{{- end -}}
