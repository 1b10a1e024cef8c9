"""plane - a control plane on loopback: etcd, kube-apiserver, kube-controller-manager.

Workload-aware scheduling is on. There is a CA, so that clients check certificates as they do in a
cluster. Every bind, and every request of the service accounts of kube-system, is in the audit log,
unless the plane is made without one: the log is written before each answer, and that costs.
"""
import json
import os
import secrets
import signal
import time

from . import procs
from .api import Api

GATES = ("GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true,"
         "WorkloadWithJob=true")
SCHEDULER_GATES = GATES.rsplit(",", 1)[0]

AUDIT_POLICY = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: Request
  verbs: [create]
  resources: [{group: "", resources: [pods/binding]}]
- level: Metadata
  userGroups: ["system:serviceaccounts:kube-system"]
- level: None
"""

KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{{name: e2e, cluster: {{server: "{server}", certificate-authority: {ca}}}}}]
users: [{{name: me, user: {{{user}}}}}]
contexts: [{{name: e2e, context: {{cluster: e2e, user: me}}}}]
current-context: e2e
"""


def make_certificates(directory):
    """A CA and a certificate of the API server (and of the proxies in front of it)."""
    at = lambda name: os.path.join(directory, name)
    with open(at("server.ext"), "w") as f:
        f.write("subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:kubernetes.default.svc\n"
                "extendedKeyUsage=serverAuth\n")
    key = ["-newkey", "rsa:2048", "-nodes"]
    procs.run(["openssl", "req", "-x509", *key, "-keyout", at("ca.key"), "-out", at("ca.crt"),
               "-days", "2", "-subj", "/CN=e2e-ca"])
    procs.run(["openssl", "req", *key, "-keyout", at("server.key"), "-out", at("server.csr"),
               "-subj", "/CN=e2e"])
    procs.run(["openssl", "x509", "-req", "-in", at("server.csr"), "-CA", at("ca.crt"), "-CAkey",
               at("ca.key"), "-CAcreateserial", "-out", at("server.crt"), "-days", "2",
               "-extfile", at("server.ext")])
    procs.run(["openssl", "genrsa", "-out", at("sa.key"), "2048"])


class Plane:
    """Owns its programs; `directory` gets data, certificates, logs, `kubeconfig`, `audit.log`."""

    def __init__(self, binaries, directory, audited=True):
        os.makedirs(directory, exist_ok=True)
        self.binaries, self.directory = binaries, os.path.abspath(directory)
        self.port, self.etcd_port = procs.free_port(), procs.free_port()
        self.server = f"https://127.0.0.1:{self.port}"
        self.token = secrets.token_hex(16)
        make_certificates(self.directory)
        self._write("tokens.csv", f"{self.token},admin,admin,system:masters\n")
        audit = ["--audit-policy-file", self._write("audit.yaml", AUDIT_POLICY),
                 "--audit-log-path", self.path("audit.log"), "--audit-log-mode", "blocking"]
        self.kubeconfig = self.write_kubeconfig("kubeconfig", f'token: "{self.token}"')
        self.api = Api(self.server, self.token, self.path("ca.crt"))
        self.etcd = self._program("etcd", [
            "--data-dir", self.path("etcd"), "--unsafe-no-fsync", "--log-level", "warn",
            "--listen-client-urls", f"http://127.0.0.1:{self.etcd_port}",
            "--advertise-client-urls", f"http://127.0.0.1:{self.etcd_port}",
            "--listen-peer-urls", f"http://127.0.0.1:{procs.free_port()}"])
        self.apiserver = self._program("kube-apiserver", [
            "--etcd-servers", f"http://127.0.0.1:{self.etcd_port}",
            "--bind-address", "127.0.0.1", "--secure-port", str(self.port),
            "--tls-cert-file", self.path("server.crt"),
            "--tls-private-key-file", self.path("server.key"),
            "--service-account-issuer", "https://kubernetes.default.svc",
            "--service-account-key-file", self.path("sa.key"),
            "--service-account-signing-key-file", self.path("sa.key"),
            "--client-ca-file", self.path("ca.crt"),
            "--token-auth-file", self.path("tokens.csv"), "--authorization-mode", "RBAC",
            # Pods need no token, and new nodes are usable without a controller's leave.
            "--disable-admission-plugins", "ServiceAccount,TaintNodesByCondition",
            *(audit if audited else []),
            "--max-requests-inflight", "3000", "--max-mutating-requests-inflight", "1000",
            # Without it a server that ends leaves watches open, up to a minute.
            "--shutdown-watch-termination-grace-period", "5s",
            "--feature-gates", GATES, "--runtime-config",
            "scheduling.k8s.io/v1beta1=true,scheduling.k8s.io/v1alpha3=true"])
        self.controllers = self._program("kube-controller-manager", [
            "--kubeconfig", self.kubeconfig, "--leader-elect=false", "--secure-port", "0",
            "--service-account-private-key-file", self.path("sa.key"),
            "--root-ca-file", self.path("ca.crt"),
            "--use-service-account-credentials=false", "--feature-gates", GATES])
        # Only where a test or a person wants it: the scheduler that is there before muster.
        self.scheduler = self._program("kube-scheduler", [
            "--kubeconfig", self.kubeconfig, "--bind-address", "127.0.0.1",
            "--secure-port", str(procs.free_port()), "--feature-gates", SCHEDULER_GATES])

    def path(self, *names):
        return os.path.join(self.directory, *names)

    def _write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def _program(self, name, flags):
        return procs.Program(name, [os.path.join(self.binaries, name), *flags],
                             self.path(name + ".log"))

    def write_kubeconfig(self, name, user, server=None):
        return self._write(name, KUBECONFIG.format(server=server or self.server,
                                                   ca=self.path("ca.crt"), user=user))

    def start(self, controllers=True):
        self.etcd.start()
        self.apiserver.start()
        self.wait_ready()
        if controllers:
            self.controllers.start()
        return self

    def wait_ready(self, seconds=90):
        def ready():
            if not self.apiserver.alive:
                raise RuntimeError("kube-apiserver ended:\n" + self.apiserver.tail())
            try:
                return self.api.raw("GET", "/readyz", timeout=5) == (200, "ok")
            except OSError:
                return False
        procs.until("kube-apiserver is ready", seconds, ready, every=0.3)

    def crash_apiserver(self, away=0):
        """Killed, then started again after `away` seconds, with the same port and data."""
        self.apiserver.kill()
        time.sleep(away)
        self.apiserver.start()
        self.wait_ready()

    def restart_apiserver(self):
        """Asked to end, as by an upgrade, then started again. Gives back how long it took to end."""
        begin = time.monotonic()
        self.apiserver.stop(grace=60)
        spent = time.monotonic() - begin
        self.apiserver.start()
        self.wait_ready()
        return spent

    def stop(self):
        for program in (self.controllers, self.apiserver, self.etcd):
            program.stop(grace=3 if program is self.apiserver else 10)

    def freeze_etcd(self):
        self.etcd.signal(signal.SIGSTOP)

    def thaw_etcd(self):
        self.etcd.signal(signal.SIGCONT)

    def kubectl(self, *arguments, check=True, **options):
        return procs.run([os.path.join(self.binaries, "kubectl"), "--kubeconfig", self.kubeconfig,
                          *arguments], check=check, **options)

    def service_account_token(self, namespace, name, seconds=3600):
        """A token as the kubelet gets it for a pod of this service account."""
        answer = self.api.call(
            "POST", f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
             "spec": {"expirationSeconds": seconds}})
        return answer["status"]["token"]

    def audit(self):
        """What the audit log has so far; a line that is being written is left out."""
        events = []
        if os.path.exists(self.path("audit.log")):
            with open(self.path("audit.log")) as f:
                for line in f:
                    if line.endswith("\n"):
                        events.append(json.loads(line))
        return events
