{{/* One rule. With rule (to, ports) and optionally protocols; without "to", every address. */}}
{{- define "strongroom.egress" -}}
- ports:
    {{- $protocols := .protocols | default (list "TCP") }}
    {{- range $port := .rule.ports }}
    {{- range $protocols }}
    - { protocol: {{ . }}, port: {{ int $port }} }
    {{- end }}
    {{- end }}
  {{- with .rule.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{/* Every public address. With root. */}}
{{- define "strongroom.publicAddresses" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except:
      {{- toYaml .root.Values.networkPolicy.private.ipv4 | nindent 6 }}
- ipBlock:
    cidr: 2000::/3
    except:
      {{- toYaml .root.Values.networkPolicy.private.ipv6 | nindent 6 }}
{{- end }}

{{/* One rule; without "to", every public address. With root and rule. */}}
{{- define "strongroom.publicEgress" -}}
{{- $public := include "strongroom.publicAddresses" . | fromYamlArray -}}
{{- include "strongroom.egress" (dict "rule" (dict "ports" .rule.ports "to" (.rule.to | default $public))) }}
{{- end }}

{{/* What serve and work both reach. */}}
{{- define "strongroom.sharedEgress" -}}
{{- $policy := .Values.networkPolicy -}}
{{ include "strongroom.egress" (dict "rule" $policy.dns "protocols" (list "UDP" "TCP")) }}
{{ include "strongroom.egress" (dict "rule" $policy.postgresql) }}
{{- if .Values.rootKey.awsKms.key }}
{{ include "strongroom.publicEgress" (dict "root" . "rule" $policy.awsKms) }}
{{- if not .Values.rootKey.awsKms.accessKeyId.existingSecret }}
# The agent of EKS Pod Identity, on the node.
- ports:
    - { protocol: TCP, port: 80 }
  to:
    - ipBlock: { cidr: 169.254.170.23/32 }
    - ipBlock: { cidr: "fd00:ec2::23/128" }
{{- end }}
{{- end }}
{{- if or .Values.rootKey.googleKms.key .Values.rootKey.azureKeyVault.url }}
{{ include "strongroom.publicEgress" (dict "root" . "rule" $policy.cloudKeys) }}
{{- end }}
{{- if and .Values.rootKey.googleKms.key (not .Values.rootKey.googleKms.credentials.existingSecret) }}
# The metadata server of GKE, which issues tokens for workload identity.
- ports:
    - { protocol: TCP, port: 80 }
    - { protocol: TCP, port: 988 }
  to:
    - ipBlock: { cidr: 169.254.169.252/32 }
    - ipBlock: { cidr: 169.254.169.254/32 }
{{- end }}
{{- if .Values.rootKey.transit.url }}
{{ include "strongroom.egress" (dict "rule" $policy.transit) }}
{{- end }}
{{- if and .Values.rootKey.pkcs11.module $policy.hsm.ports }}
{{ include "strongroom.egress" (dict "rule" $policy.hsm) }}
{{- end }}
{{- if .Values.traces.endpoint }}
{{ include "strongroom.egress" (dict "rule" $policy.traces) }}
{{- end }}
{{- end }}

{{/* Destinations of the proxy: public ones at 443, and what its settings add. */}}
{{- define "strongroom.proxyEgress" -}}
{{- $ports := concat (list 443) .Values.proxy.ports | uniq -}}
{{ include "strongroom.publicEgress" (dict "root" . "rule" (dict "ports" $ports "to" list)) }}
{{- with .Values.proxy.privateRanges }}
{{- $to := list }}
{{- range . }}
{{- $to = append $to (dict "ipBlock" (dict "cidr" .)) }}
{{- end }}
{{ include "strongroom.egress" (dict "rule" (dict "ports" $ports "to" $to)) }}
{{- end }}
{{- end }}
