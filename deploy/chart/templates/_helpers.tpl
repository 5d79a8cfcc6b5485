{{- define "interlock.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "interlock.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* Of a part: (dict "root" $ "part" "server") */}}
{{- define "interlock.selector" -}}
app.kubernetes.io/name: interlock
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{- define "interlock.labels" -}}
{{ include "interlock.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- define "interlock.podSecurity" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
{{- end -}}

{{/* Of a container: (dict "unconfined" false) */}}
{{- define "interlock.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
seccompProfile: { type: {{ ternary "Unconfined" "RuntimeDefault" .unconfined }} }
{{- end -}}

{{- define "interlock.databaseEnvironment" -}}
- name: DATABASE_URL_FILE
  value: /run/secrets/interlock/database-url
{{- end -}}

{{- define "interlock.environment" -}}
{{ include "interlock.databaseEnvironment" . }}
- name: INTERLOCK_SECRET_FILE
  value: /run/secrets/interlock/interlock-secret
{{- if .Values.secret.keys.metricsToken }}
- name: INTERLOCK_METRICS_TOKEN_FILE
  value: /run/secrets/interlock/metrics-token
{{- end }}
{{- if .Values.secret.keys.temporalApiKey }}
- name: TEMPORAL_API_KEY_FILE
  value: /run/secrets/interlock/temporal-api-key
{{- end }}
{{- if .Values.temporal.tlsSecret }}
- name: TEMPORAL_TLS_CA
  value: /run/secrets/temporal/ca.crt
- name: TEMPORAL_TLS_CERT
  value: /run/secrets/temporal/tls.crt
- name: TEMPORAL_TLS_KEY
  value: /run/secrets/temporal/tls.key
{{- end }}
{{- if .Values.secret.keys.oidcClientSecret }}
- name: OIDC_CLIENT_SECRET_FILE
  value: /run/secrets/interlock/oidc-client-secret
{{- end }}
{{- if .Values.secret.keys.slackBotToken }}
- name: SLACK_BOT_TOKEN_FILE
  value: /run/secrets/interlock/slack-bot-token
{{- end }}
{{- if .Values.secret.keys.runbookModelApiKey }}
- name: RUNBOOK_MODEL_API_KEY_FILE
  value: /run/secrets/interlock/runbook-model-api-key
{{- end }}
- name: INTERLOCK_PUBLIC_URL
  value: {{ .Values.publicUrl | quote }}
- name: TEMPORAL_ADDRESS
  value: {{ .Values.temporal.address | quote }}
- name: TEMPORAL_NAMESPACE
  value: {{ .Values.temporal.namespace | quote }}
{{- with .Values.temporal.uiUrl }}
- name: TEMPORAL_UI_URL
  value: {{ . | quote }}
{{- end }}
- name: GITHUB_MIRRORS
  value: {{ .Values.data.mode }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "interlock.secretVolume" -}}
- name: secret
  secret:
    secretName: {{ .Values.secret.name }}
    defaultMode: 0440
    items:
      - { key: {{ .Values.secret.keys.databaseUrl }}, path: database-url }
      - { key: {{ .Values.secret.keys.interlockSecret }}, path: interlock-secret }
      {{- with .Values.secret.keys.metricsToken }}
      - { key: {{ . }}, path: metrics-token }
      {{- end }}
      {{- with .Values.secret.keys.temporalApiKey }}
      - { key: {{ . }}, path: temporal-api-key }
      {{- end }}
      {{- with .Values.secret.keys.oidcClientSecret }}
      - { key: {{ . }}, path: oidc-client-secret }
      {{- end }}
      {{- with .Values.secret.keys.slackBotToken }}
      - { key: {{ . }}, path: slack-bot-token }
      {{- end }}
      {{- with .Values.secret.keys.runbookModelApiKey }}
      - { key: {{ . }}, path: runbook-model-api-key }
      {{- end }}
{{- end -}}

{{- define "interlock.volumes" -}}
{{ include "interlock.secretVolume" . }}
{{- with .Values.temporal.tlsSecret }}
- name: temporal
  secret: { secretName: {{ . }}, defaultMode: 0440 }
{{- end }}
- name: temporary
  emptyDir: {}
- name: programs
  emptyDir: { sizeLimit: 1Gi }
- name: data
{{- if eq .Values.data.mode "own" }}
  emptyDir: { sizeLimit: {{ .Values.data.ownSizeLimit }} }
{{- else }}
  persistentVolumeClaim:
    claimName: {{ .Values.data.shared.existingClaim | default (printf "%s-data" (include "interlock.name" .)) }}
{{- end }}
{{- end -}}

{{- define "interlock.volumeMounts" -}}
- { name: secret, mountPath: /run/secrets/interlock, readOnly: true }
{{- if .Values.temporal.tlsSecret }}
- { name: temporal, mountPath: /run/secrets/temporal, readOnly: true }
{{- end }}
- { name: temporary, mountPath: /tmp }
- { name: programs, mountPath: /var/cache/interlock }
- { name: data, mountPath: /var/lib/interlock }
{{- end -}}

{{/* Of a part: (dict "root" $ "part" "server") */}}
{{- define "interlock.placement" -}}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{ include "interlock.selector" . | nindent 8 }}
{{- end -}}

{{- define "interlock.probes" -}}
# A server or worker may wait for a migration that another process runs.
startupProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 5
  failureThreshold: 120
livenessProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 5
  timeoutSeconds: 5
{{- end -}}
