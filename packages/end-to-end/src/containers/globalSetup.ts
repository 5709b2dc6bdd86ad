import { randomBytes } from "node:crypto"
import type { TestProject } from "vitest/node"
import { prepare, published } from "./Engine.ts"
import { build, workspaceWith } from "./Images.ts"

const dockerfile = "apps/wcs/deploy/Dockerfile"

/** Files that checkouts often contain, each with its own secret. */
const secretFiles = [
  ...[".env", ".npmrc", "client.json", "data/master.key", "apps/wcs/deploy/master.key", "apps/wcs/deploy/.env"],
  ...["apps/wcs/data/tls-key.pem", "apps/wcs/.env", "packages/keys/src/signing.key", "apps/wcs/test/token.txt"]
].map((path) => [path, randomBytes(24).toString("hex")] as const)

/**
 * Finds the engine, and builds the images that all files of a run use.
 * @public vitest calls it
 */
export default async ({ provide }: TestProject) => {
  const machine = await prepare()
  if (typeof machine === "string") throw new Error(`The container tests cannot run: ${machine}.`)
  const { base, end, engine, postgres } = machine
  console.log(`Containers: ${engine.name}, base ${base}, ${postgres}`)
  const begun = performance.now()
  const context = workspaceWith(Object.fromEntries(secretFiles.map(([path, secret]) => [path, `TOKEN=${secret}\n`])))
  const [current, next] = ["localhost/wcs:containers", "localhost/wcs:containers-next"]
  for (const [tag, VERSION] of [
    [current, "current"],
    [next, "next"]
  ] as const) {
    await build(engine, { context, dockerfile, tag, args: { BASE: base, VERSION } })
  }
  console.log(`Images built in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  const planted = secretFiles.map(([, secret]) => secret)
  const isBrief = process.env["WCS_CONTAINERS"] === "brief"
  provide("containers", { host: engine.host, isBrief, base, postgres, usual: published(), current, next, planted })
  return end
}
