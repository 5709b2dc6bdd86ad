/**
 * Gives the profile what the service offers in a browser only: a user with an enrolled second factor, and an identity
 * provider for SAML. The suite then judges AUT-15, AUT-16 and AUT-17.
 */
import { execFile } from "node:child_process"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { parseEnv, promisify } from "node:util"
import { makeKey } from "../apps/http-node/test/SamlKey.ts"
import type { Environment } from "./deployment.ts"
import type { Dns } from "./dns.ts"
import { codeAt } from "./totp.ts"
import { type Visitor, visitor } from "./visitor.ts"

const run = promisify(execFile)
const wcs = "apps/wcs/src/main.ts"

/** Variables that the profile's secrets are in. */
const variables = { token: "CONF_ENROLLED_TOKEN", seed: "CONF_TOTP_SECRET", key: "CONF_SAML_KEY" }

const needs = ["user with it enrolled", "web login by SAML", "web login with TOTP"]

/** Enrols an app by the login pages, as a browser does, and returns its seed. */
const enrolApp = async ({ post }: Visitor, email: string, password: string): Promise<string> => {
  await post("/login", { email, password })
  const { seed } = await post("/login/enrol", {})
  // A code is taken once: the code of the step before leaves the suite this one.
  await post("/login/confirm", { code: codeAt(String(seed), Date.now() - 30_000) })
  return String(seed)
}

const idOf = ({ data }: Readonly<Record<string, unknown>>): string =>
  typeof data === "object" && data !== null && "id" in data ? String(data.id) : ""

/** Connects an identity provider and invites a user of its domain. Returns how that user logs in. */
const connectSaml = async ({ call }: Visitor, { publish }: Dns, cert: string) => {
  const domain = "saml.example"
  const provider = { entityId: "https://idp.saml.example", url: "https://idp.saml.example/sso" }
  const saml = { entityId: provider.entityId, ssoUrl: provider.url, certificates: [cert] }
  const settings = { kind: "saml", name: "Conformance", domains: [domain], active: true, saml }
  const id = idOf(await call("POST", "/identity-providers", settings))
  publish(`_wcs-challenge.${domain}`, `wcs-domain-verification=${id}`)
  await call("POST", `/identity-providers/${id}/verify-domains`)
  const email = `ann@${domain}`
  await call("POST", "/users", { email, role: "Viewer" })
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

/** Changes the profile and adds to its secrets. */
export const enrol = async (files: {
  readonly profile: string
  readonly secrets: string
  readonly certificate: string
  /** Of the deployment itself, without a network in between that loses answers. */
  readonly url: string
  readonly environment: Environment
  readonly dns: Dns
}): Promise<void> => {
  const profile = JSON.parse(readFileSync(files.profile, "utf8"))
  const { password, username } = profile.legacy.user
  const known = parseEnv(readFileSync(files.secrets, "utf8"))
  const browser = visitor(files.url, readFileSync(files.certificate, "utf8"))
  const seed = await enrolApp(browser, username, known[password.slice(2, -1)] ?? "")
  const { cert, key } = await makeKey(1)

  const made = ["admin", "create-token", "--email", username, "--name", "enrolled", "--tenant", "default", "--json"]
  const { stdout } = await run(process.execPath, [wcs, ...made], { env: files.environment })
  const secrets = { [variables.token]: JSON.parse(stdout).token, [variables.seed]: seed, [variables.key]: key }
  for (const [name, secret] of Object.entries(secrets)) appendFileSync(files.secrets, `${name}='${secret}'\n`)
  const webLogin = {
    proof: { path: "/account" },
    totp: {
      steps: [
        { method: "POST", path: "/login", form: { email: username, password } },
        { method: "POST", path: "/login/code", form: { code: "{{code}}" } }
      ],
      secret: `\${${variables.seed}}`
    },
    saml: await connectSaml(browser, files.dns, cert)
  }
  const principals = { ...profile.principals, enrolledToken: `\${${variables.token}}` }
  const notOffered = profile.notOffered.filter((need: string) => !needs.includes(need))
  writeFileSync(files.profile, JSON.stringify({ ...profile, principals, webLogin, notOffered }))
}
