import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { initialProfile } from "@wcs/conformance/profile/InitialProfile"
import { commandLine, inFolder, reportIn, writeProfile } from "../CommandLine.ts"
import { constant, serving } from "./GarbageServers.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

/** Judges a server with only an OAuth client known. */
const judging = async <A>(use: (args: ReadonlyArray<string>, out: string) => Promise<A>): Promise<A> => {
  const { down, url } = await serving((request, response, body) => {
    const answer = request.url?.endsWith("/oauth/token")
      ? JSON.stringify({ access_token: "a.b.c", token_type: "Bearer", expires_in: 3600 })
      : undefined
    if (answer === undefined) return constant["an empty list and 200"](request, response, body)
    response.writeHead(200, { "Content-Type": "application/json" }).end(answer)
  })
  try {
    return await inFolder((folder) => {
      const out = join(folder, "out")
      const profile = writeProfile(folder, initialProfile(url, "x_oauth_0"))
      return use(["run", "-p", profile, "--out", out, "--only", "WRK,TRN"], out)
    })
  } finally {
    down()
  }
}

const environment = { CONF_CLIENT_SECRET: "a-secret-of-the-admin" }

describe("a run without a reader", () => {
  it("continues to its end when its output is closed", () =>
    judging(async (args, out) => {
      const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, ...environment } })
      await once(child.stdout, "data")
      child.stdout.destroy()
      const [code] = await once(child, "close")
      assert.strictEqual(code, 1)
      assert.strictEqual(reportIn(out).header.ending.as, "finished")
    }))

  it("keeps its verdict when its reports cannot be written, and reports that", () =>
    judging(async (args, out) => {
      mkdirSync(join(out, "report.html"), { recursive: true })
      const { code, told } = await commandLine([...args, "--quiet"], environment)
      assert.strictEqual(code, 1, told)
      assert.match(told, /^wcs-conformance: some reports could not be written: .*EISDIR.*\njudged \d+ of /)
    }))
})
