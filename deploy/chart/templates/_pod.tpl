{{- define "strongroom.podSecurity" -}}
runAsNonRoot: true
{{- with .Values.user }}
runAsUser: {{ int . }}
runAsGroup: {{ int . }}
fsGroup: {{ int . }}
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "strongroom.containerSecurity" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* What every pod has in common. With root and role. */}}
{{- define "strongroom.podBasics" -}}
automountServiceAccountToken: false
# Kubernetes would otherwise set STRONGROOM_PORT to the address of a Service with that name.
enableServiceLinks: false
securityContext:
  {{- include "strongroom.podSecurity" .root | nindent 2 }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "strongroom.scheduling" -}}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- define "strongroom.topologySpread" -}}
{{- $spread := (index .root.Values .role).topologySpread -}}
{{- with $spread.keys }}
topologySpreadConstraints:
  {{- range . }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: {{ $spread.whenUnsatisfiable }}
    labelSelector:
      matchLabels:
        {{- include "strongroom.selector" $ | nindent 8 }}
    # Pods of the previous version do not count while they are being replaced.
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
{{- end }}

{{/*
/livez says that the process reacts, /readyz that it can take requests: an outage of the database makes pods unready and
restarts none. Both listen once everything has started.
*/}}
{{- define "strongroom.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: admin }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 60
readinessProbe:
  httpGet: { path: /readyz, port: admin }
  periodSeconds: 5
  # Each check ends after 0.9 s.
  timeoutSeconds: 3
  failureThreshold: 2
livenessProbe:
  httpGet: { path: /livez, port: admin }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- end }}

{{/* The pods of serve and work. With root, role, ports and terminationSeconds. */}}
{{- define "strongroom.podTemplate" -}}
{{- $root := .root -}}
{{- $own := index .root.Values .role -}}
{{- $pkcs11 := .root.Values.rootKey.pkcs11 -}}
metadata:
  labels:
    {{- include "strongroom.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
    {{- with $own.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- $annotations := deepCopy $own.podAnnotations }}
  {{- with include "strongroom.secretVersions" (dict "root" $root "role" .role) }}
  {{- $_ := set $annotations "strongroom/secret-versions" . }}
  {{- end }}
  {{- with $annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "strongroom.serviceAccount" .root }}
  {{- include "strongroom.podBasics" . | nindent 2 }}
  {{- include "strongroom.scheduling" $own | nindent 2 }}
  {{- include "strongroom.topologySpread" . | nindent 2 }}
  terminationGracePeriodSeconds: {{ .terminationSeconds }}
  {{- if and $pkcs11.module $pkcs11.library.image }}
  initContainers:
    - name: hsm-library
      image: {{ $pkcs11.library.image }}
      {{- with $pkcs11.library.command }}
      command:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        {{- include "strongroom.containerSecurity" $root | nindent 8 }}
      resources:
        requests: { cpu: 50m, memory: 32Mi }
        limits: { memory: 128Mi }
      volumeMounts:
        - name: hsm-library
          mountPath: {{ $pkcs11.library.mountPath }}
  {{- end }}
  containers:
    - name: {{ .role }}
      image: {{ include "strongroom.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: [{{ .role }}]
      env:
        {{- include "strongroom.environment" . | trim | nindent 8 }}
      ports:
        {{- toYaml .ports | nindent 8 }}
      {{- include "strongroom.probes" . | nindent 6 }}
      securityContext:
        {{- include "strongroom.containerSecurity" $root | nindent 8 }}
      resources:
        {{- toYaml $own.resources | nindent 8 }}
      volumeMounts:
        - name: secrets
          mountPath: {{ include "strongroom.secretsPath" .root }}
          readOnly: true
        {{- if $pkcs11.module }}
        {{- if $pkcs11.library.image }}
        - name: hsm-library
          mountPath: {{ $pkcs11.library.mountPath }}
          readOnly: true
        {{- end }}
        {{- with $pkcs11.volumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        {{- end }}
        {{- with $own.volumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - {{- include "strongroom.secretsVolume" . | nindent 6 }}
    {{- if $pkcs11.module }}
    {{- if $pkcs11.library.image }}
    - name: hsm-library
      emptyDir: { sizeLimit: 256Mi }
    {{- end }}
    {{- with $pkcs11.volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- end }}
    {{- with $own.volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}
