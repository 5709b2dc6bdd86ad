"""Answers login requests with pysaml2. Reads a job as JSON from stdin and writes metadata and responses to stdout.

The identity provider learns of us from our own metadata, and validates our requests before it answers.
"""

import base64
import json
import sys
from urllib.parse import parse_qs, urlparse

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NameID
from saml2.server import Server
from saml2.sigver import verify_redirect_signature

job = json.load(sys.stdin)

config = IdPConfig()
config.load(
    {
        "entityid": "https://idp.example.org/pysaml2",
        "key_file": job["key"],
        "cert_file": job["certificate"],
        "xmlsec_binary": "/usr/bin/xmlsec1",
        "metadata": {"local": job["serviceProviders"]},
        "service": {
            "idp": {
                "endpoints": {"single_sign_on_service": [("https://idp.example.org/sso", BINDING_HTTP_REDIRECT)]},
                "name_id_format": [NAMEID_FORMAT_PERSISTENT],
                "policy": {"default": {"lifetime": {"minutes": 5}}},
            }
        },
    }
)
server = Server(config=config)


def answer(request):
    query = parse_qs(urlparse(request["url"]).query)
    with open(job["requestsSignedBy"]) as file:
        signer = "".join(file.read().splitlines()[1:-1])
    if not verify_redirect_signature({name: value[0] for name, value in query.items()}, server.sec.sec_backend, signer):
        raise ValueError("the request is not signed by us")
    parsed = server.parse_authn_request(query["SAMLRequest"][0], BINDING_HTTP_REDIRECT)
    to = server.response_args(parsed.message, [BINDING_HTTP_POST])
    name_id = NameID(
        format=NAMEID_FORMAT_PERSISTENT,
        name_qualifier=config.entityid,
        sp_name_qualifier=to["sp_entity_id"],
        text="alice-pysaml2",
    )
    response = server.create_authn_response(
        {"mail": ["alice@example.com"], "displayName": ["Alice & Bob <é>"]},
        in_response_to=to["in_response_to"],
        destination=to["destination"],
        sp_entity_id=to["sp_entity_id"],
        name_id=name_id,
        authn={"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"},
        sign_response=request["signResponse"],
        sign_assertion=request["signAssertion"],
        sign_alg="http://www.w3.org/2001/04/xmldsig-more#rsa-sha" + request["hash"],
        digest_alg="http://www.w3.org/2001/04/xmlenc#sha256",
    )
    return base64.b64encode(str(response).encode()).decode()


json.dump(
    {"metadata": str(entity_descriptor(config)), "responses": [answer(request) for request in job["requests"]]},
    sys.stdout,
)
