import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { serving, temporaryDirectory } from "./Process.ts"

const main = fileURLToPath(new URL("../../../apps/wcs/start.mjs", import.meta.url))
const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8")

/** The command blocks of the README. The first starts the server. */
const [start = "", ...tour] = Array.from(readme.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = ""]) => block)

/** Runs the blocks in a shell, in order, and returns the output of each. */
const paste = (blocks: ReadonlyArray<string>, directory: string, port: number): ReadonlyArray<string> => {
  const input = [
    // Replaces `npm run -s wcs -- …`, which would install dependencies first.
    `npm() { shift 4; "${process.execPath}" "${main}" "$@"; }\n`,
    `node() { "${process.execPath}" "$@"; }\n`,
    blocks.join("echo '--- next'\n").replaceAll("localhost:8443", `localhost:${port}`)
  ].join("")
  const env = { PATH: process.env["PATH"], HOME: directory, WCS_DATA: "data", TOKEN: "" }
  const { status, stderr, stdout } = spawnSync("bash", ["-eu", "-s"], { cwd: directory, env, input, encoding: "utf8" })
  assert.strictEqual(status, 0, stdout + stderr)
  return stdout.split("--- next\n")
}

const json = (line: string): unknown => JSON.parse(line)

it.live(
  "the tour of the README works as printed (OAU-01, WRK-05, OWN-07, OWN-10, OWN-04, BLK-10, VER-01, VER-04, LEG-01, LEG-05, LEG-13)",
  () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        assert.strictEqual(start.trim(), "WCS_CLIENT_FILE=./client.json npm start")
        const { port } = yield* serving({
          WCS_DATA: `${directory}/data`,
          WCS_CLIENT_FILE: `${directory}/client.json`
        })
        const [token, worker, credential, transfers, links, bulk, verdicts, superAdmin, legacy, commands] = paste(
          tour,
          directory,
          port
        )
        assert.strictEqual(token, "")
        assert.match(worker ?? "", /^\{"data":\[\{"id":"wkr_\w{16}".*"externalId":"hr-4711"/)
        assert.match(credential ?? "", /"owners":\{"worker":null,"applicant":"app_\w{16}"\}/)
        const [first = "", again = ""] = (transfers ?? "").split("\n")
        assert.match(first, /"owners":\{"worker":"wkr_\w{16}","applicant":null\}/)
        assert.deepStrictEqual(Object(json(again)).data, Object(json(first)).data)
        const [linked = "", refused = ""] = (links ?? "").split("\n")
        assert.match(linked, /"owners":\{"worker":"wkr_\w{16}","applicant":"app_\w{16}"\}/)
        assert.match(refused, /"code":"ALREADY_LINKED","message":"[^"]*transfer/)
        assert.match(bulk ?? "", /"status":"transferred"\}\],"meta":\{"total":1,"succeeded":1,"failed":0/)
        const [verdict = "", history = ""] = (verdicts ?? "").split("\n")
        assert.match(verdict, /"data":\{"eligibility":"MAY_ENGAGE","statusDetail":"VALID",.*"correlationId":"tour-1"/)
        assert.deepStrictEqual(
          Object(json(history)).data.map(({ trigger }: { readonly trigger: string }) => trigger),
          ["create", "verify"]
        )
        assert.match(superAdmin ?? "", /role +Super Admin\n.*hasPassword +true\n/s)
        assert.match(legacy ?? "", /"data":\[\{"id":"wkr_\w{16}","first_name":"","surname":"Ann Example"/)
        assert.match(legacy ?? "", /"page":1,"page_size":25,"total":2\}\n$/)
        assert.match(commands ?? "", /role +Viewer\n.*token +wcs_pat_\w{42}\n.*\{"clients":\[\{"clientId":"wcs_oauth_/s)
      })
    )
)
