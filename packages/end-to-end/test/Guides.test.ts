import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Contract } from "@wcs/api/Contract"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { serving, temporaryDirectory } from "./Process.ts"

const guides = OpenApi.fromApi(Contract).info.description ?? ""

const blocksOf = (language: string): ReadonlyArray<string> =>
  Array.from(guides.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms")), ([, block = ""]) => block)

const separator = "--- next"

describe("the guides in the OpenAPI document", () => {
  it.live("have commands that work as printed, in order (OAU-01, WRK-05, OWN-07, VER-01, EVT-08)", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const clientFile = join(directory, "client.json")
        const server = yield* serving({ WCS_DATA: join(directory, "data"), WCS_CLIENT_FILE: clientFile })
        const { clientId, clientSecret } = JSON.parse(readFileSync(clientFile, "utf8"))
        const { status, stderr, stdout } = spawnSync("bash", ["-eu", "-o", "pipefail", "-s"], {
          encoding: "utf8",
          input: blocksOf("sh").join(`echo '${separator}'\n`),
          env: {
            PATH: process.env["PATH"],
            CURL_CA_BUNDLE: server.certificateFile,
            HOST: `https://localhost:${server.port}`,
            CLIENT_ID: clientId,
            CLIENT_SECRET: clientSecret
          }
        })
        assert.strictEqual(status, 0, stderr + stdout)
        const [token, worker, credential, hired, verified, report, pages, copied, limits, rotated] = stdout.split(
          `${separator}\n`
        )
        assert.strictEqual(token, "")
        assert.match(worker ?? "", /^\{"data":\[\{"id":"wkr_\w{16}".*"externalId":"hr-4711"/)
        assert.match(credential ?? "", /^\{"data":\{"id":"cred_\w{16}".*"worker":"wkr_\w{16}"/)
        assert.match(hired ?? "", /"owners":\{"worker":"wkr_\w{16}","applicant":null\}/)
        const [verdict = "", history = ""] = (verified ?? "").split("\n")
        assert.match(
          report ?? "",
          /^\{"data":\[\{"workerId":"wkr_\w{16}".*\n\uFEFFworkerId,externalId,.*\r\nwkr_\w{16},hr-4711,/
        )
        assert.match(verdict, /"eligibility":"MAY_ENGAGE".*"correlationId":"hire-4711"/)
        assert.match(history, /"trigger":"create".*"trigger":"verify"/)
        const [, second = ""] = (pages ?? "").split("\n")
        assert.match(second, /"displayName":"Cy Example".*"nextCursor":null/)
        const [, changed = ""] = (copied ?? "").split("\n")
        assert.match(changed, /"entityType":"worker","entityId":"wkr_\w{16}","operation":"UPDATE".*"hasMore":false/)
        assert.match(
          limits ?? "",
          /^x-ratelimit-limit: \d+\r\nx-ratelimit-remaining: \d+\r\nx-ratelimit-reset: \d+\r\n$/i
        )
        assert.match(rotated ?? "", /"signingSecret":"whsec_[A-Za-z0-9+/]{43}="/)
      })
    )
  )
})
