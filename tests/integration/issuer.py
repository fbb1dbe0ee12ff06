"""An issuer of tokens for users: its keys as a JWK set, and what it signs."""

import base64
import json
import subprocess
import time

from own_servers import folder

ISSUER = "https://id.example"
AUDIENCE = "fanfold"


def base64url(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Key:
    def __init__(self, case, kid):
        self.kid, self.file = kid, folder(case) / f"{kid}.pem"
        self._openssl("genrsa", "-out", str(self.file), "2048")

    def jwk(self):
        modulus = self._openssl("rsa", "-in", str(self.file), "-noout", "-modulus").decode()
        return {"kty": "RSA", "kid": self.kid, "alg": "RS256", "use": "sig", "e": "AQAB",
                "n": base64url(bytes.fromhex(modulus.strip().split("=")[1]))}

    def sign(self, **claims):
        """Without `exp`: for five minutes; without `user`: a service's."""
        said = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": int(time.time()) + 300} | claims
        if "user" not in claims:
            said["scope"] = said.get("scope", "") + " users:any"
        said = {name: value for name, value in said.items() if value is not None}
        text = ".".join(base64url(json.dumps(part).encode())
                        for part in ({"alg": "RS256", "kid": self.kid}, said))
        signature = self._openssl("dgst", "-sha256", "-sign", str(self.file), stdin=text.encode())
        return f"{text}.{base64url(signature)}"

    @staticmethod
    def _openssl(*arguments, stdin=None):
        return subprocess.run(["openssl", *arguments], input=stdin, check=True,
                              capture_output=True).stdout


class Issuer:
    """Keys in a file that the services follow."""

    def __init__(self, case):
        self.key, self.file = Key(case, "first"), folder(case) / "keys.json"
        self.publish(self.key)

    def publish(self, *keys):
        fresh = self.file.with_suffix(".new")
        fresh.write_text(json.dumps({"keys": [key.jwk() for key in keys]}))
        fresh.rename(self.file)

    def settings(self):
        return {"jwt_keys_file": str(self.file), "jwt_issuer": ISSUER, "jwt_audience": AUDIENCE}
