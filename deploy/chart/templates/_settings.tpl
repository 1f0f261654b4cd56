{{/* The environment of a role, as a list. With root and role. */}}
{{- define "strongroom.environment" -}}
{{- $v := .root.Values -}}
{{- $env := dict -}}
{{- $path := include "strongroom.secretsPath" .root -}}
{{- range (include "strongroom.secrets" . | fromYaml).secrets -}}
{{-   if .variable -}}
{{-     $_ := set $env (printf "%s_FILE" .variable) (printf "%s/%s" $path .file) -}}
{{-   end -}}
{{- end -}}
{{- if ne .role "migrate" -}}
{{-   $env = merge $env (include (printf "strongroom.settings.%s" .role) .root | fromYaml) -}}
{{-   $env = merge $env (include "strongroom.settings.shared" .root | fromYaml) -}}
{{-   range $name, $value := $v.settings -}}
{{-     if hasKey $env $name -}}
{{-       fail (printf "settings.%s is set by another value of the chart" $name) -}}
{{-     end -}}
{{-     $_ := set $env $name $value -}}
{{-   end -}}
{{- end -}}
{{- range $name, $value := $env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- if and (ne .role "migrate") $v.rootKey.pkcs11.module -}}
{{- with $v.rootKey.pkcs11.env }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "strongroom.settings.shared" -}}
STRONGROOM_ADMIN_HOST: {{ .Values.listenAddress | quote }}
STRONGROOM_LOG_LEVEL: {{ .Values.logLevel | quote }}
STRONGROOM_DATABASE_CONNECTIONS: {{ int .Values.database.connections | quote }}
{{- with .Values.cell }}
STRONGROOM_CELL: {{ . | quote }}
{{- end }}
{{- with .Values.traces.endpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ . | quote }}
{{- end }}
{{- with .Values.rootKey }}
{{- with .provider }}
STRONGROOM_ROOT_KEY_PROVIDER: {{ . | quote }}
{{- end }}
{{- with .pkcs11 }}
{{- if .module }}
STRONGROOM_PKCS11_MODULE: {{ .module | quote }}
STRONGROOM_PKCS11_TOKEN: {{ .token | quote }}
STRONGROOM_PKCS11_KEY: {{ .key | quote }}
# Kubernetes restarts every container that exits, and repeated starts with a wrong PIN would lock the token.
STRONGROOM_STAY_WHEN_REFUSED: "true"
{{- with .previousKey }}
STRONGROOM_PREVIOUS_PKCS11_KEY: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- with .awsKms }}
{{- if .key }}
STRONGROOM_AWS_KMS_KEY: {{ .key | quote }}
STRONGROOM_AWS_KMS_REGION: {{ .region | quote }}
{{- with .endpoint }}
STRONGROOM_AWS_KMS_ENDPOINT: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- with .googleKms }}
{{- if .key }}
STRONGROOM_GOOGLE_KMS_KEY: {{ .key | quote }}
{{- end }}
{{- end }}
{{- with .azureKeyVault }}
{{- if .url }}
STRONGROOM_AZURE_KEY_VAULT_URL: {{ .url | quote }}
STRONGROOM_AZURE_KEY_VAULT_KEY: {{ .key | quote }}
{{- with .clientId }}
STRONGROOM_AZURE_KEY_VAULT_CLIENT_ID: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- with .transit }}
{{- if .url }}
STRONGROOM_TRANSIT_URL: {{ .url | quote }}
STRONGROOM_TRANSIT_KEY: {{ .key | quote }}
STRONGROOM_TRANSIT_MOUNT: {{ .mount | quote }}
{{- with .namespace }}
STRONGROOM_TRANSIT_NAMESPACE: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "strongroom.settings.serve" -}}
STRONGROOM_PUBLIC_URL: {{ include "strongroom.publicUrl" . | quote }}
STRONGROOM_HOST: {{ .Values.listenAddress | quote }}
STRONGROOM_PORT: "8080"
STRONGROOM_ADMIN_PORT: "8081"
STRONGROOM_DRAIN_DELAY_SECONDS: {{ int .Values.serve.drain.delaySeconds | quote }}
STRONGROOM_DRAIN_TIMEOUT_SECONDS: {{ int .Values.serve.drain.timeoutSeconds | quote }}
{{- with .Values.trustedProxies }}
STRONGROOM_TRUSTED_PROXIES: {{ join "," . | quote }}
{{- end }}
{{- with .Values.elements.url }}
STRONGROOM_ELEMENTS_URL: {{ . | quote }}
STRONGROOM_ELEMENTS_PORT: "8083"
{{- end }}
{{- with .Values.openid }}
{{- if .issuer }}
STRONGROOM_OPENID_ISSUER: {{ .issuer | quote }}
STRONGROOM_OPENID_CLIENT_ID: {{ .clientId | quote }}
{{- with .name }}
STRONGROOM_OPENID_NAME: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- if .Values.smtp.url.existingSecret }}
STRONGROOM_MAIL_FROM: {{ .Values.smtp.from | quote }}
{{- end }}
{{- with .Values.proxy }}
{{- if .enabled }}
STRONGROOM_PROXY_REQUIRE_ALLOWED_DESTINATIONS: {{ .requireAllowedDestinations | quote }}
STRONGROOM_PROXY_CALLS_PER_TENANT: {{ int .callsPerTenant | quote }}
{{ include "strongroom.settings.destinations" . }}
{{- if .clientCertificates }}
{{- $entries := list }}
{{- range $index, $certificate := .clientCertificates }}
{{- $file := printf "%s/proxy-client-certificate-%d" (include "strongroom.secretsPath" $) $index }}
{{- $entries = append $entries (printf "%s@%s=%s" .tenant .host $file) }}
{{- end }}
STRONGROOM_PROXY_CLIENT_CERTIFICATES: {{ join "," $entries | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Destinations of the proxy and of webhooks beyond public addresses at port 443. With the values of the proxy. */}}
{{- define "strongroom.settings.destinations" -}}
{{- with .privateRanges }}
STRONGROOM_PROXY_PRIVATE_RANGES: {{ join "," . | quote }}
{{- end }}
{{- with .ports }}
STRONGROOM_PROXY_PORTS: {{ join "," . | quote }}
{{- end }}
{{- with .hosts }}
STRONGROOM_PROXY_HOSTS: {{ join "," . | quote }}
{{- end }}
{{- with .resolvers }}
STRONGROOM_PROXY_RESOLVERS: {{ join "," . | quote }}
{{- end }}
{{- end }}

{{- define "strongroom.settings.work" -}}
STRONGROOM_WORKER_ADMIN_PORT: "8082"
STRONGROOM_AUDIT_RETENTION_MONTHS: {{ int .Values.audit.retentionMonths | quote }}
{{- with .Values.audit.anchorUrl }}
STRONGROOM_AUDIT_ANCHOR_URL: {{ . | quote }}
{{- end }}
{{- if .Values.webhooks.enabled }}
{{ include "strongroom.settings.destinations" .Values.proxy }}
{{- end }}
{{- if .Values.smtp.url.existingSecret }}
STRONGROOM_MAIL_FROM: {{ .Values.smtp.from | quote }}
STRONGROOM_PUBLIC_URL: {{ include "strongroom.publicUrl" . | quote }}
{{- end }}
{{- end }}
