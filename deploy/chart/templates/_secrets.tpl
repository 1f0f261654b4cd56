{{/*
The secrets of a role: which file each is mounted as, and the variable that names the file. With root and role. A role gets
what it needs and no more: only migrate and work hold the owner of the schema, migrate no root key.
*/}}
{{- define "strongroom.secrets" -}}
{{- $v := .root.Values -}}
{{- $all := list -}}
{{- if eq .role "migrate" -}}
{{-   $hasOwner := ne $v.database.ownerUrl.existingSecret "" -}}
{{-   $all = append $all (dict "variable" "STRONGROOM_DATABASE_URL" "from" (ternary $v.database.ownerUrl $v.database.url $hasOwner)) -}}
{{- else -}}
{{-   $all = append $all (dict "variable" "STRONGROOM_DATABASE_URL" "from" $v.database.url) -}}
{{-   $all = append $all (dict "variable" "STRONGROOM_ROOT_KEY" "from" $v.rootKey.file) -}}
{{-   $all = append $all (dict "variable" "STRONGROOM_PREVIOUS_ROOT_KEY" "from" $v.rootKey.previousFile) -}}
{{-   if $v.rootKey.pkcs11.module -}}
{{-     $all = append $all (dict "variable" "STRONGROOM_PKCS11_PIN" "from" $v.rootKey.pkcs11.pin) -}}
{{-   end -}}
{{-   with $v.rootKey.awsKms -}}
{{-     if .key -}}
{{-       $all = append $all (dict "variable" "STRONGROOM_AWS_KMS_CA" "from" .ca) -}}
{{-       $all = append $all (dict "variable" "STRONGROOM_AWS_KMS_ACCESS_KEY_ID" "from" .accessKeyId) -}}
{{-       $all = append $all (dict "variable" "STRONGROOM_AWS_KMS_SECRET_ACCESS_KEY" "from" .secretAccessKey) -}}
{{-       $all = append $all (dict "variable" "STRONGROOM_AWS_KMS_SESSION_TOKEN" "from" .sessionToken) -}}
{{-     end -}}
{{-   end -}}
{{-   with $v.rootKey.googleKms -}}
{{-     if .key -}}
{{-       $all = append $all (dict "variable" "STRONGROOM_GOOGLE_KMS_CREDENTIALS" "from" .credentials) -}}
{{-     end -}}
{{-   end -}}
{{-   with $v.rootKey.transit -}}
{{-     if .url -}}
{{-       $all = append $all (dict "variable" "STRONGROOM_TRANSIT_CA" "from" .ca) -}}
{{-       $all = append $all (dict "variable" "STRONGROOM_TRANSIT_TOKEN" "from" .token) -}}
{{-     end -}}
{{-   end -}}
{{- end -}}
{{- $all = append $all (dict "file" "database-ca" "from" $v.database.ca) -}}
{{- if and (ne .role "migrate") $v.traces.endpoint -}}
{{-   $all = append $all (dict "variable" "OTEL_EXPORTER_OTLP_HEADERS" "file" "otlp-headers" "from" $v.traces.headers) -}}
{{- end -}}
{{- if eq .role "serve" -}}
{{-   $all = append $all (dict "variable" "STRONGROOM_REDIS_URL" "from" $v.redis.url) -}}
{{-   if $v.openid.issuer -}}
{{-     $all = append $all (dict "variable" "STRONGROOM_OPENID_CLIENT_SECRET" "from" $v.openid.clientSecret) -}}
{{-   end -}}
{{-   if $v.proxy.enabled -}}
{{-     $all = append $all (dict "variable" "STRONGROOM_PROXY_CA" "from" $v.proxy.ca) -}}
{{-     range $index, $certificate := $v.proxy.clientCertificates -}}
{{-       $all = append $all (dict "file" (printf "proxy-client-certificate-%d" $index) "from" $certificate) -}}
{{-     end -}}
{{-   end -}}
{{- end -}}
{{- if eq .role "work" -}}
{{-   $all = append $all (dict "variable" "STRONGROOM_DATABASE_OWNER_URL" "from" $v.database.ownerUrl) -}}
{{-   $all = append $all (dict "variable" "STRONGROOM_SMTP_URL" "from" $v.smtp.url) -}}
{{-   if $v.webhooks.enabled -}}
{{-     $all = append $all (dict "variable" "STRONGROOM_PROXY_CA" "from" $v.proxy.ca) -}}
{{-   end -}}
{{- end -}}
{{- $used := list -}}
{{- range $all -}}
{{-   if or .from.existingSecret .from.existingConfigMap -}}
{{-     $variable := .variable | default "" -}}
{{-     $file := .file | default ($variable | trimPrefix "STRONGROOM_" | lower | replace "_" "-") -}}
{{-     $used = append $used (dict "variable" $variable "file" $file "from" .from) -}}
{{-   end -}}
{{- end -}}
{{- toYaml (dict "secrets" $used) -}}
{{- end }}

{{- define "strongroom.secretsPath" -}}
/run/secrets/strongroom
{{- end }}

{{- define "strongroom.secretsVolume" -}}
name: secrets
projected:
  # Only the group of the pod can read it.
  defaultMode: 0440
  sources:
    {{- range (include "strongroom.secrets" . | fromYaml).secrets }}
    - {{ if .from.existingConfigMap }}configMap{{ else }}secret{{ end }}:
        name: {{ .from.existingConfigMap | default .from.existingSecret }}
        items:
          - key: {{ .from.key }}
            path: {{ .file }}
    {{- end }}
{{- end }}

{{/*
A hash of the versions of all mounted objects, or nothing if none was found, as without a cluster. It is not a hash of their
content: everybody who may read pods could try to guess a PIN with it. With root and role.
*/}}
{{- define "strongroom.secretVersions" -}}
{{- $versions := list -}}
{{- if .root.Values.restartOnSecretChange -}}
{{-   range (include "strongroom.secrets" . | fromYaml).secrets -}}
{{-     $kind := ternary "ConfigMap" "Secret" (ne (.from.existingConfigMap | default "") "") -}}
{{-     $name := .from.existingConfigMap | default .from.existingSecret -}}
{{-     $found := lookup "v1" $kind $.root.Release.Namespace $name -}}
{{-     if $found -}}
{{-       $versions = append $versions (printf "%s/%s %s" $kind $name $found.metadata.resourceVersion) -}}
{{-     end -}}
{{-   end -}}
{{- end -}}
{{- with $versions | uniq -}}
{{ join "," . | sha256sum }}
{{- end -}}
{{- end }}
