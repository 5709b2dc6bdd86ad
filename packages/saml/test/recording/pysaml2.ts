/**
 * Records responses of pysaml2. Needs Debian's packages python3-pysaml2 and xmlsec1, and openssl. Gives our metadata
 * and requests to pysaml2.py, and writes ../fixtures/pysaml2.json.
 */
import { execFileSync } from "node:child_process"
import { createPrivateKey } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { layer as idsLayer } from "@wcs/domain/shared/Id"
import * as AuthnRequest from "@wcs/saml/AuthnRequest"
import { fromText } from "@wcs/saml/Certificate"
import type { Connection } from "@wcs/saml/Connection"
import * as IdentityProviderMetadata from "@wcs/saml/IdentityProviderMetadata"
import { toXml } from "@wcs/saml/ServiceProviderMetadata"
import { Effect, Layer, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { writeRecording } from "./Fixture.ts"

const ways: ReadonlyArray<readonly [name: string, assertion: boolean, response: boolean, hash: string]> = [
  ["signs assertions", true, false, "256"],
  ["signs responses", false, true, "256"],
  ["signs both", true, true, "256"],
  ["signs both with SHA-512", true, true, "512"]
]

const folder = mkdtempSync(join(tmpdir(), "pysaml2-"))
const file = (name: string) => join(folder, name)

for (const name of ["idp", "sp"]) {
  const subject = ["-x509", "-days", "3650", "-subj", `/CN=${name}.example.org`]
  const files = ["-keyout", file(`${name}.pem`), "-out", file(`${name}.crt`)]
  execFileSync("openssl", ["req", "-newkey", "rsa:2048", "-nodes", ...subject, ...files], { stdio: "ignore" })
}

const signingKey = createPrivateKey(readFileSync(file("sp.pem")))
const certificate = Result.getOrThrow(fromText(readFileSync(file("sp.crt"), "utf8")))
const serviceProviders = ways.map((_, index) => {
  const entityId = `https://acme.example.com/saml/sp${index}`
  return { entityId, acsUrl: `${entityId}/acs` }
})
for (const [index, serviceProvider] of serviceProviders.entries()) {
  writeFileSync(file(`sp${index}.xml`), toXml(serviceProvider, certificate))
}

/** A request needs only the single sign-on URL; the rest of the metadata comes with the responses. */
const unread = { entityId: "", ssoUrl: "https://idp.example.org/sso", certificates: [], wantsSignedRequests: true }

interface Answers {
  readonly metadata: string
  readonly responses: ReadonlyArray<string>
}

const main = Effect.gen(function* () {
  const begun = yield* Effect.forEach(serviceProviders, (serviceProvider) =>
    AuthnRequest.create({ serviceProvider, identityProvider: unread }, { signingKey })
  )
  const job = {
    key: file("idp.pem"),
    certificate: file("idp.crt"),
    requestsSignedBy: file("sp.crt"),
    serviceProviders: serviceProviders.map((_, index) => file(`sp${index}.xml`)),
    requests: ways.map(([, signAssertion, signResponse, hash], index) => ({
      ...{ signAssertion, signResponse, hash },
      url: begun[index]?.url
    }))
  }
  const script = fileURLToPath(new URL("./pysaml2.py", import.meta.url))
  const answers: Answers = JSON.parse(
    execFileSync("/usr/bin/python3", [script], { input: JSON.stringify(job), encoding: "utf8" })
  )
  const identityProvider = yield* IdentityProviderMetadata.read(Buffer.from(answers.metadata))
  const fixtures = ways.flatMap(([name], index) => {
    const [serviceProvider, request, samlResponse] = [serviceProviders[index], begun[index], answers.responses[index]]
    if (serviceProvider === undefined || request === undefined || samlResponse === undefined) return []
    const connection: Connection = { serviceProvider, identityProvider }
    const { pending } = request
    const nameId = "alice-pysaml2"
    return [{ name: `pysaml2 7.0.1 ${name}`, receivedAt: Date.now(), connection, pending, samlResponse, nameId }]
  })
  writeRecording("pysaml2", { metadata: answers.metadata, fixtures })
})

const ids = Layer.provide(idsLayer, SecureRandom.layerWebCrypto)

try {
  await Effect.runPromise(Effect.provide(main, ids))
} finally {
  rmSync(folder, { recursive: true })
}
