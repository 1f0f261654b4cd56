{{- define "strongroom.name" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* Short enough for the longest suffix. */}}
{{- define "strongroom.fullname" -}}
{{- $name := include "strongroom.name" . -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains $name .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{- define "strongroom.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "strongroom.fullname" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end }}

{{- define "strongroom.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/name: {{ include "strongroom.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* With root and role. */}}
{{- define "strongroom.selector" -}}
app.kubernetes.io/name: {{ include "strongroom.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "strongroom.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ printf "%s@%s" .repository .digest }}
{{- else -}}
{{ printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) }}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "strongroom.publicUrl" -}}
{{ .Values.publicUrl | default (printf "http://%s.%s.svc:%v" (include "strongroom.fullname" .) .Release.Namespace (int .Values.service.port)) }}
{{- end }}

{{/* The public host names, each with the port of the Service that it leads to. */}}
{{- define "strongroom.hosts" -}}
hosts:
  - host: {{ (urlParse (required "an ingress or a gateway needs publicUrl" .Values.publicUrl)).hostname }}
    port: http
    number: {{ int .Values.service.port }}
  {{- with .Values.elements.url }}
  - host: {{ (urlParse .).hostname }}
    port: elements
    number: {{ int $.Values.service.elementsPort }}
  {{- end }}
{{- end }}
