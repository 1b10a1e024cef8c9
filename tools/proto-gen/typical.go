package main

// typical is the JSON of a pod: number, service, version, three more numbers, hour, minute, addresses.
const typical = `{"metadata":{"name":"web-6d4cf56db6-%05[1]d","generateName":"web-6d4cf56db6-",
"namespace":"team-%[2]d","uid":"%08[5]x-7a51-4f0e-9c1d-0123456789ab","resourceVersion":"%[5]d",
"generation":1,"creationTimestamp":"2026-03-11T%02[6]d:%02[7]d:00Z",
"labels":{"app":"web","pod-template-hash":"6d4cf56db6"},
"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-6d4cf56db6",
"uid":"00000000-aaaa-4bbb-8ccc-0123456789ab","controller":true,"blockOwnerDeletion":true}],
"managedFields":[{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1",
"time":"2026-03-11T%02[6]d:%02[7]d:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{
"f:generateName":{},"f:labels":{".":{},"f:app":{},"f:pod-template-hash":{}},"f:ownerReferences":{
".":{},"k:{\"uid\":\"00000000-aaaa-4bbb-8ccc-0123456789ab\"}":{}}},"f:spec":{"f:containers":{
"k:{\"name\":\"main\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{
".":{},"f:requests":{".":{},"f:cpu":{},"f:memory":{}}},"f:terminationMessagePath":{},
"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:enableServiceLinks":{},"f:restartPolicy":{},
"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}]},
"spec":{"volumes":[{"name":"kube-api-access","projected":{"sources":[{"serviceAccountToken":{
"expirationSeconds":3607,"path":"token"}},{"configMap":{"name":"kube-root-ca.crt","items":[{
"key":"ca.crt","path":"ca.crt"}]}},{"downwardAPI":{"items":[{"path":"namespace","fieldRef":{
"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}],"defaultMode":420}}],
"containers":[{"name":"main","image":"registry.example.com/team/main:v1.%[3]d.3",
"ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],
"env":[{"name":"GOMAXPROCS","value":"2"}],
"resources":{"limits":{"memory":"%[9]dMi"},"requests":{"cpu":"250m","memory":"%[9]dMi"}},
"volumeMounts":[{"name":"kube-api-access","readOnly":true,
"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],
"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",
"imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,
"dnsPolicy":"ClusterFirst","serviceAccountName":"default","serviceAccount":"default",
"nodeName":"node-%[4]d","securityContext":{},"schedulerName":"default-scheduler","tolerations":[{
"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",
"tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists",
"effect":"NoExecute","tolerationSeconds":300}],"priority":0,"enableServiceLinks":true,
"preemptionPolicy":"PreemptLowerPriority"},
"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastProbeTime":null,
"lastTransitionTime":"2026-03-11T%02[6]d:%02[7]d:00Z"},{"type":"PodScheduled","status":"True",
"lastProbeTime":null,"lastTransitionTime":"2026-03-11T%02[6]d:%02[7]d:00Z"}],
"hostIP":"192.168.0.%[8]d","podIP":"10.0.0.%[8]d","podIPs":[{"ip":"10.0.0.%[8]d"}],
"startTime":"2026-03-11T%02[6]d:%02[7]d:00Z","containerStatuses":[{"name":"main","state":{
"running":{"startedAt":"2026-03-11T%02[6]d:%02[7]d:00Z"}},"lastState":{},"ready":true,
"restartCount":0,"image":"registry.example.com/team/main:v1.%[3]d.3",
"imageID":"registry.example.com/team/main@sha256:0123456789abcdef0123456789abcdef",
"containerID":"containerd://0123456789abcdef0123456789abcdef","started":true}],
"qosClass":"Burstable"}}`
