{{/*
The settings of Cluster API that values set, for each policy that follows its rules.
*/}}
{{- define "clusterApi.settings" -}}
{{- $values := .Values.clusterApi -}}
{{- $clusterApi := dict -}}
{{- with $values.version }}{{ $_ := set $clusterApi "version" . }}{{ end -}}
{{- with $values.controllers }}{{ $_ := set $clusterApi "controllers" . }}{{ end -}}
{{- $versions := dict -}}
{{- range $values.controlPlanes -}}
{{- $_ := set $versions (printf "%s.controlplane.cluster.x-k8s.io" .kind) .version -}}
{{- end -}}
{{- $settings := dict "clusterApi" $clusterApi "lookup" (dict "apiVersions" $versions) -}}
{{- toYaml (mergeOverwrite $settings (deepCopy $values.settings)) -}}
{{- end -}}

{{/*
The settings of cloud tags that values set: composites as they are listed, without what belongs into the rules.
*/}}
{{- define "cloudTags.settings" -}}
{{- $values := .Values.cloudTags -}}
{{- $composites := list -}}
{{- range $values.composites -}}
{{- $composites = append $composites (omit . "apiVersions" "resources") -}}
{{- end -}}
{{- $cloudTags := dict "composites" $composites -}}
{{- if $values.registries }}{{ $_ := set $cloudTags "registry" (dict "names" $values.registries) }}
{{- else if $values.definitions }}{{ $_ := set $cloudTags "definitions" $values.definitions }}{{ end -}}
{{- toYaml (mergeOverwrite (dict "cloudTags" $cloudTags) (deepCopy $values.settings)) -}}
{{- end -}}

{{/*
One rule for each entry of cloudTags.composites: before the other rules of a policy, or in a role.
*/}}
{{- define "cloudTags.rules" -}}
{{- $rules := list -}}
{{- range .Values.cloudTags.composites -}}
{{- $rules = append $rules (dict "apiGroups" .apiGroups "apiVersions" .apiVersions "resources" .resources "operations" (list "CREATE" "UPDATE")) -}}
{{- end -}}
{{- toYaml $rules -}}
{{- end -}}

{{/*
Prints a policy of files/ with what the values say: (list . FILE SETTINGS), and with those of its section, where it has one:
(list . FILE SETTINGS SECTION).
*/}}
{{- define "policy" -}}
{{- $root := index . 0 -}}
{{- $policy := $root.Files.Get (printf "files/%s" (index . 1)) | fromYaml -}}
{{- $spec := $policy.spec -}}
{{- $_ := set $spec "policyServer" $root.Values.policyServer.name -}}
{{- with $root.Values.module }}{{ $_ := set $spec "module" . }}{{ end -}}
{{- if eq (len .) 4 -}}
{{- $section := index . 3 -}}
{{- $_ := set $spec "mode" $section.policyMode -}}
{{- $_ := set $spec "failurePolicy" $section.failurePolicy -}}
{{- with $section.namespaceSelector }}{{ $_ := set $spec "namespaceSelector" . }}{{ end -}}
{{- end -}}
{{- $mode := $spec.settings.mode -}}
{{- $_ := mergeOverwrite $spec.settings (index . 2 | fromYaml) -}}
{{- if eq $mode "verify" }}{{ $_ := set $spec.settings "mode" $mode }}{{ end -}}
{{- if $spec.settings.cloudTags -}}
{{- $given := index . 2 | fromYaml -}}
{{- $_ := set $spec.settings.cloudTags "definitions" $given.cloudTags.definitions -}}
{{- if not $given.cloudTags.definitions }}{{ $_ := unset $spec.settings.cloudTags "definitions" }}{{ end -}}
{{- $_ := set $spec "rules" (concat ($root | include "cloudTags.rules" | fromYamlArray) (rest $spec.rules)) -}}
{{- end -}}
{{- if and $spec.settings.clusterApi (index $spec.settings "lookup") -}}
{{- range $root.Values.clusterApi.controlPlanes -}}
{{- $grant := dict "apiVersion" (printf "controlplane.cluster.x-k8s.io/%s" .version) "kind" .kind -}}
{{- $_ := set $spec "contextAwareResources" (append $spec.contextAwareResources $grant) -}}
{{- end -}}
{{- end -}}
{{- if $spec.matchConditions -}}
{{- if not $root.Values.clusterApi.matchConditions -}}
{{- $_ := unset $spec "matchConditions" -}}
{{- else if $root.Values.clusterApi.controllers -}}
{{- $controllers := printf "['%s']" (join "', '" $root.Values.clusterApi.controllers) -}}
{{- range $spec.matchConditions -}}
{{- $_ := set . "expression" (regexReplaceAllLiteral "\\[[^\\]]*\\]" .expression $controllers) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $policy -}}
{{- end -}}
