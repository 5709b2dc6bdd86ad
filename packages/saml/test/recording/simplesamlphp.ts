/**
 * Records responses of SimpleSAMLphp. Needs Debian's packages simplesamlphp php-cli php-xml php-mbstring php-curl
 * php-sqlite3 and openssl. Serves it from a temporary folder on the loopback address, logs in as a browser does, and
 * writes ../fixtures/simplesamlphp.json.
 */
import { execFileSync, spawn } from "node:child_process"
import { createPrivateKey } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layer as idsLayer } from "@wcs/domain/shared/Id"
import * as AuthnRequest from "@wcs/saml/AuthnRequest"
import type { Connection } from "@wcs/saml/Connection"
import * as IdentityProviderMetadata from "@wcs/saml/IdentityProviderMetadata"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { type Fixture, writeRecording } from "./Fixture.ts"

const port = 8899
const base = `http://127.0.0.1:${port}`
const ways: ReadonlyArray<readonly [name: string, assertion: boolean, response: boolean, hash: string]> = [
  ["signs assertions", true, false, "256"],
  ["signs responses", false, true, "256"],
  ["signs both", true, true, "256"],
  ["signs both with SHA-384", true, true, "384"],
  ["signs both with SHA-512", true, true, "512"]
]

const spOf = (index: number) => `https://acme.example.com/saml/sp${index}`

const folder = mkdtempSync(join(tmpdir(), "simplesamlphp-"))
for (const name of ["config", "metadata", "cert", "log", "data", "tmp", "sessions"]) mkdirSync(join(folder, name))

const makeKey = (name: string): void => {
  const subject = ["-x509", "-days", "3650", "-subj", `/CN=${name}.example.org`]
  const files = ["-keyout", join(folder, "cert", `${name}.pem`), "-out", join(folder, "cert", `${name}.crt`)]
  execFileSync("openssl", ["req", "-newkey", "rsa:2048", "-nodes", ...subject, ...files], { stdio: "ignore" })
}
makeKey("idp")
makeKey("sp")

const write = (path: string, lines: ReadonlyArray<string>) =>
  writeFileSync(join(folder, path), `<?php\n${lines.join("\n")}\n`)

write("config/config.php", [
  "$config = [",
  `'baseurlpath' => '${base}/', 'certdir' => '${folder}/cert/', 'loggingdir' => '${folder}/log/',`,
  `'datadir' => '${folder}/data/', 'tempdir' => '${folder}/tmp', 'logging.handler' => 'file', 'timezone' => 'UTC',`,
  "'secretsalt' => 'recording', 'auth.adminpassword' => 'recording', 'enable.saml20-idp' => true,",
  `'store.type' => 'phpsession', 'session.phpsession.savepath' => '${folder}/sessions',`,
  "'session.cookie.secure' => false, 'module.enable' => ['exampleauth' => true, 'core' => true, 'saml' => true],",
  `'metadata.sources' => [['type' => 'flatfile', 'directory' => '${folder}/metadata']],`,
  "];"
])
write("config/authsources.php", [
  "$config = ['example-userpass' => ['exampleauth:UserPass',",
  "'alice:wonderland' => ['uid' => ['alice'], 'mail' => ['alice@example.com'], 'displayName' => ['Alice & Bob <é>']]]];"
])
write("metadata/saml20-idp-hosted.php", [
  "$metadata['__DYNAMIC:1__'] = ['host' => '__DEFAULT__', 'privatekey' => 'idp.pem', 'certificate' => 'idp.crt',",
  "'auth' => 'example-userpass', 'SingleSignOnServiceBinding' => 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',",
  "'NameIDFormat' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',",
  "'authproc' => [3 => ['class' => 'saml:PersistentNameID', 'attribute' => 'uid']]];"
])
write(
  "metadata/saml20-sp-remote.php",
  ways.map(
    ([, assertion, response, hash], index) =>
      `$metadata['${spOf(index)}'] = ['AssertionConsumerService' => '${spOf(index)}/acs', 'certificate' => 'sp.crt',` +
      ` 'validate.authnrequest' => true, 'NameIDFormat' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',` +
      ` 'saml20.sign.assertion' => ${assertion}, 'saml20.sign.response' => ${response},` +
      ` 'signature.algorithm' => 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha${hash}'];`
  )
)

const server = spawn("php", ["-S", `127.0.0.1:${port}`, "-t", "/usr/share/simplesamlphp/www"], {
  env: { ...process.env, SIMPLESAMLPHP_CONFIG_DIR: join(folder, "config") },
  stdio: "ignore"
})

/** A browser: follows redirects and keeps cookies. */
const browser = () => {
  const cookies = new Map<string, string>()
  const send = async (url: string, body?: URLSearchParams): Promise<{ url: string; html: string }> => {
    const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") }
    const init = body === undefined ? {} : { method: "POST", body }
    const answer = await fetch(url, { headers, redirect: "manual", ...init })
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";")
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1))
    }
    const location = answer.headers.get("location")
    return location === null ? { url, html: await answer.text() } : send(new URL(location, url).href)
  }
  return send
}

const unescaped = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

/** The value of a hidden field of a form. */
const field = (html: string, name: string): string => {
  const input = new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(html)?.[0] ?? ""
  const value = /value="([^"]*)"/.exec(input)?.[1]
  if (value === undefined) throw new Error(`no field ${name} in: ${html.slice(0, 4000)}`)
  return unescaped(value)
}

const serves = async (url: string): Promise<string> => {
  for (let attempt = 0; attempt < 50; attempt++) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok === true) return answer.text()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} does not answer`)
}

const record = (name: string, connection: Connection) =>
  Effect.gen(function* () {
    const signingKey = createPrivateKey(readFileSync(join(folder, "cert", "sp.pem")))
    const { pending, url } = yield* AuthnRequest.create(connection, { signingKey })
    const send = browser()
    const form = yield* Effect.promise(() => send(url))
    const login = new URLSearchParams({
      username: "alice",
      password: "wonderland",
      AuthState: field(form.html, "AuthState")
    })
    const answer = yield* Effect.promise(() => send(form.url, login))
    const samlResponse = field(answer.html, "SAMLResponse")
    if (field(answer.html, "RelayState") !== pending.relayState) throw new Error("RelayState was changed")
    const xml = Buffer.from(samlResponse, "base64").toString()
    const nameId = /<saml:NameID[^>]*>([^<]*)</.exec(xml)?.[1] ?? ""
    return { name, receivedAt: Date.now(), connection, pending, samlResponse, nameId } satisfies Fixture
  })

const main = Effect.gen(function* () {
  const metadata = yield* Effect.promise(() => serves(`${base}/saml2/idp/metadata.php`))
  const identityProvider = yield* IdentityProviderMetadata.read(Buffer.from(metadata))
  const fixtures: Array<Fixture> = []
  for (const [index, [name]] of ways.entries()) {
    const serviceProvider = { entityId: spOf(index), acsUrl: `${spOf(index)}/acs` }
    fixtures.push(yield* record(`SimpleSAMLphp 1.19.7 ${name}`, { serviceProvider, identityProvider }))
  }
  writeRecording("simplesamlphp", { metadata, fixtures })
})

const ids = Layer.provide(idsLayer, SecureRandom.layerWebCrypto)

try {
  await Effect.runPromise(Effect.provide(main, ids))
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  server.kill()
  await once(server, "exit")
  rmSync(folder, { recursive: true })
}
