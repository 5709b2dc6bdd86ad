/**
 * Adds to the profile what a person sets up in a browser: a user with an enrolled second factor, and identity providers
 * for SAML and OpenID Connect. The suite then judges AUT-14 to AUT-17.
 */
import { execFile } from "node:child_process"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { parseEnv, promisify } from "node:util"
import { codeAt } from "../Totp.ts"
import { type Visitor, visitor } from "../Visitor.ts"
import type { Environment } from "./Deployment.ts"
import type { Dns } from "./Dns.ts"
import { startIssuer } from "./Issuer.ts"
import { makeKey } from "./SamlKey.ts"

const run = promisify(execFile)
const wcs = "apps/wcs/start.mjs"

/** Environment variables with the profile's secrets. */
const variables = {
  enrolled: "CONF_ENROLLED_TOKEN",
  external: "CONF_EXTERNAL_TOKEN",
  seed: "CONF_TOTP_SECRET",
  key: "CONF_SAML_KEY"
}

const needs = [
  "external identity provider",
  "user with multifactor authentication",
  "web login by SAML",
  "web login with TOTP"
]

/** Enrols an app by the login pages, as a browser does, and returns its seed. */
const enrolApp = async ({ post }: Visitor, email: string, password: string): Promise<string> => {
  await post("/login", { email, password })
  const { seed } = await post("/login/enrol", {})
  // A code is accepted once. Using the previous step's code leaves the current one to the suite.
  await post("/login/confirm", { code: codeAt(String(seed), Date.now() - 30_000) })
  return String(seed)
}

const idOf = ({ data }: Readonly<Record<string, unknown>>): string =>
  typeof data === "object" && data !== null && "id" in data ? String(data.id) : ""

/** Connects an identity provider, verifies its domain, and invites a user of the domain. */
const connect = async ({ call }: Visitor, { publish }: Dns, domain: string, settings: object) => {
  const provider = { name: domain, domains: [domain], active: true, ...settings }
  const id = idOf(await call("POST", "/identity-providers", provider))
  publish(`_wcs-challenge.${domain}`, `wcs-domain-verification=${id}`)
  await call("POST", `/identity-providers/${id}/verify-domains`)
  const email = `ann@${domain}`
  await call("POST", "/users", { email, role: "Viewer" })
  return { id, email }
}

/** Connects a SAML provider that trusts a certificate. Returns how its user logs in. */
const connectSaml = async (browser: Visitor, dns: Dns, cert: string) => {
  const provider = { entityId: "https://idp.saml.example", url: "https://idp.saml.example/sso" }
  const saml = { entityId: provider.entityId, ssoUrl: provider.url, certificates: [cert] }
  const { email, id } = await connect(browser, dns, "saml.example", { kind: "saml", saml })
  return {
    start: `/saml/${id}/login`,
    identityProvider: { ...provider, key: `\${${variables.key}}` },
    user: {
      nameId: "ann",
      format: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
      attributes: { email }
    }
  }
}

/** Connects an OpenID provider on this machine. Returns an access token of its user. */
const connectOidc = async (browser: Visitor, dns: Dns): Promise<string> => {
  const { token, url } = await startIssuer()
  const bearerAudience = "https://wcs.example"
  const oidc = { issuer: url, clientId: "wcs", bearerAudience }
  const { email } = await connect(browser, dns, "oidc.example", { kind: "oidc", oidc })
  return token({ sub: "ann", aud: bearerAudience, email, email_verified: true })
}

/** Changes the profile and adds to its secrets. */
export const addLogins = async (files: {
  readonly profile: string
  readonly secrets: string
  readonly certificate: string
  /** The URL of the deployment itself, not of the simulated network before it. */
  readonly url: string
  readonly environment: Environment
  readonly dns: Dns
}): Promise<void> => {
  const profile = JSON.parse(readFileSync(files.profile, "utf8"))
  const { password, username } = profile.legacy.user
  const known = parseEnv(readFileSync(files.secrets, "utf8"))
  const browser = visitor(files.url, readFileSync(files.certificate, "utf8"))
  const seed = await enrolApp(browser, username, known[password.slice(2, -1)] ?? "")
  const { cert, key } = await makeKey()
  const saml = await connectSaml(browser, files.dns, cert)
  const external = await connectOidc(browser, files.dns)

  const made = ["admin", "create-token", "--email", username, "--name", "enrolled", "--tenant", "default", "--json"]
  const { stdout } = await run(process.execPath, [wcs, ...made], { env: files.environment })
  const secrets = {
    [variables.enrolled]: JSON.parse(stdout).token,
    [variables.external]: external,
    [variables.seed]: seed,
    [variables.key]: key
  }
  for (const [name, secret] of Object.entries(secrets)) appendFileSync(files.secrets, `${name}='${secret}'\n`)
  const totp = {
    steps: [
      { method: "POST", path: "/login", form: { email: username, password } },
      { method: "POST", path: "/login/code", form: { code: "{{code}}" } }
    ],
    secret: `\${${variables.seed}}`
  }
  const principals = {
    ...profile.principals,
    enrolledToken: `\${${variables.enrolled}}`,
    externalToken: `\${${variables.external}}`
  }
  const webLogin = { proof: { path: "/account" }, totp, saml }
  const notOffered = profile.notOffered.filter((need: string) => !needs.includes(need))
  writeFileSync(files.profile, JSON.stringify({ ...profile, principals, webLogin, notOffered }))
}
