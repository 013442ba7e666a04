{{- define "foldpoint.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "foldpoint.fullname" -}}
{{- $name := include "foldpoint.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "foldpoint.selector" -}}
app.kubernetes.io/name: {{ include "foldpoint.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "foldpoint.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "foldpoint.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "foldpoint.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "foldpoint.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "foldpoint.image" -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end }}

{{/* Where several pods can keep what they share: not a file of one of them. */}}
{{- define "foldpoint.isShared" -}}
{{- if or (hasKey .Values.secret.settings "store.url") (contains "postgres" .Values.config) }}yes{{ end }}
{{- end }}

{{/* What would start and then be wrong is refused here. */}}
{{- define "foldpoint.check" -}}
{{- if not (include "foldpoint.isShared" .) }}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicaCount) 1) }}
{{- fail "SQLite is one pod's: set replicaCount to 1 and autoscaling.enabled to false, or give secret.settings a store.url of Postgres" }}
{{- end }}
{{- if not .Values.persistence.enabled }}
{{- fail "SQLite without persistence.enabled would lose keys and records with the pod" }}
{{- end }}
{{- else if .Values.persistence.enabled }}
{{- fail "persistence is for SQLite: with a store.url of Postgres, leave persistence.enabled false" }}
{{- end }}
{{- if and .Values.secret.settings (not .Values.secret.name) }}
{{- fail "secret.settings needs secret.name: the Secret that has its keys" }}
{{- end }}
{{- end }}
