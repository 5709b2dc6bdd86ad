/**
 * Enrols a second factor for the profile's legacy user, by the login pages as a browser would, and gives the profile a
 * token of that user: the suite then judges AUT-15.
 */
import { execFile } from "node:child_process"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { parseEnv, promisify } from "node:util"
import type { Environment } from "./deployment.ts"
import { codeAt } from "./totp.ts"
import { visitor } from "./visitor.ts"

const run = promisify(execFile)
const wcs = "apps/wcs/src/main.ts"
const variable = "CONF_ENROLLED_TOKEN"

/** Changes the profile and adds the token to its secrets. */
export const enrol = async (files: {
  readonly profile: string
  readonly secrets: string
  readonly certificate: string
  /** Of the deployment itself, without a network in between that loses answers. */
  readonly url: string
  readonly environment: Environment
}): Promise<void> => {
  const profile = JSON.parse(readFileSync(files.profile, "utf8"))
  const { password, username } = profile.legacy.user
  const known = parseEnv(readFileSync(files.secrets, "utf8"))
  const { post } = visitor(files.url, readFileSync(files.certificate, "utf8"))
  await post("/login", { email: username, password: known[password.slice(2, -1)] ?? "" })
  const { seed } = await post("/login/enrol", {})
  await post("/login/confirm", { code: codeAt(String(seed), Date.now()) })

  const made = ["admin", "create-token", "--email", username, "--name", "enrolled", "--tenant", "default", "--json"]
  const { stdout } = await run(process.execPath, [wcs, ...made], { env: files.environment })
  appendFileSync(files.secrets, `${variable}='${JSON.parse(stdout).token}'\n`)
  const principals = { ...profile.principals, enrolledToken: `\${${variable}}` }
  const notOffered = profile.notOffered.filter((need: string) => need !== "user with it enrolled")
  writeFileSync(files.profile, JSON.stringify({ ...profile, principals, notOffered }))
}
