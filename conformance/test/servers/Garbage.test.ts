import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Principal, Profile } from "@wcs/conformance/profile/Profile"
import { Struct } from "effect"
import { commandLine, inFolder, reportIn, writeProfile } from "../CommandLine.ts"
import {
  afterTheFirst,
  constant,
  serving,
  servingNoTls,
  servingUntrusted,
  type Up,
  unanswered
} from "./GarbageServers.ts"

const environment = { CONF_ADMIN: "secret-of-admin" }
const token: Principal = { token: "${CONF_ADMIN}" }
const oauth: Principal = { oauth: { clientId: "x_oauth_0", clientSecret: "${CONF_ADMIN}" } }

const profileOf = (url: string, admin: Principal, secondsPerCall: number): Profile => ({
  name: "garbage",
  newer: { tenantBaseUrl: url },
  principals: { admin },
  run: { ceiling: "exhaust", concurrency: 64, secondsPerCall, secondsInAll: 20, secondsToWait: 0.5 }
})

/**
 * The result of a run against a server, in this process. Calls have a short timeout only if the server never ends an
 * answer.
 */
const judged = async (starting: Promise<Up>, admin: Principal, secondsPerCall = 10, ...more: ReadonlyArray<string>) => {
  const { down, url } = await starting
  try {
    return await inFolder(async (folder) => {
      const file = writeProfile(folder, profileOf(url, admin, secondsPerCall))
      const out = join(folder, "out")
      const { code, told } = await commandLine(["run", "-p", file, "--out", out, "--quiet", ...more], environment)
      const report = reportIn(out)
      assert.strictEqual(told, `${report.headline}\n`)
      assert.deepStrictEqual(
        report.rules.filter(({ verdict }) => verdict === "error").map(({ id, reasons }) => [id, reasons]),
        []
      )
      const musts = report.rules.filter(({ level }) => level === "MUST")
      return {
        code,
        sentence: report.headline.replace(url, "it"),
        kept: musts.filter(({ verdict }) => verdict === "pass").map(({ id }) => id),
        failed: musts.filter(({ verdict }) => verdict === "fail").map(({ id }) => id)
      }
    })
  } finally {
    down()
  }
}

const nothing = (sentence: string) => ({ code: 3, sentence: `judged nothing: ${sentence}`, kept: [], failed: [] })

const noToken = (why: string) => nothing(`no token for admin: the token endpoint ${why}`)

/**
 * For each answer that ends the run before a rule is judged: the cause with a token, and from the token endpoint. The
 * answers of servers in front of a deployment have tests of their own, and so do the answers that are judged.
 */
const ends = {
  "401": ["it refused the admin's credentials (401)", "answered 401 without an access_token"],
  "403": ["it refused the admin's credentials (403)", "answered 403 without an access_token"],
  "an empty 200": [undefined, "answered 200 without an access_token"],
  "429 for ever": ["the rate limit did not end within 1 s: GET /openapi/v1/workers answered 429", undefined],
  "500": [undefined, "answered 500 without an access_token"]
} as const satisfies Partial<Record<keyof typeof constant, readonly [string | undefined, string | undefined]>>

describe("a server with one constant answer", () => {
  for (const name of Struct.keys(ends)) {
    it(`ends the run before a rule is judged: ${name}`, async () => {
      const [byToken, byOAuth] = ends[name]
      if (byToken !== undefined) {
        assert.deepStrictEqual(await judged(serving(constant[name]), token), nothing(byToken))
      }
      if (byOAuth !== undefined) {
        assert.deepStrictEqual(await judged(serving(constant[name]), oauth), noToken(byOAuth))
      }
    })
  }
})

describe("a server that does not answer", () => {
  const silences = {
    "resets the connection": "reset",
    "never answers": "timeout",
    "drips one byte at a time": "timeout",
    "sends ten megabytes": "too large",
    "speaks no HTTP": "malformed",
    "ends in the middle of its headers": "reset"
  } as const satisfies Readonly<Record<keyof typeof unanswered, string>>
  const what = Object.keys(silences).filter((name): name is keyof typeof silences => name in silences)

  for (const name of what) {
    const seconds = silences[name] === "timeout" ? 0.1 : 10
    const silence = silences[name]
    it(`ends the run immediately with one sentence: ${name}`, async () => {
      const byToken = await judged(serving(unanswered[name]), token, seconds)
      assert.deepStrictEqual(byToken, nothing(`it did not answer (${silence})`))
      const byOAuth = await judged(serving(unanswered[name]), oauth, seconds)
      assert.deepStrictEqual(byOAuth, noToken(`did not answer (${silence})`))
    })
  }
  for (const name of ["resets the connection", "never answers", "sends ten megabytes", "speaks no HTTP"] as const) {
    it(`passes only the rules that its first response proves: ${name}`, async () => {
      const seconds = silences[name] === "timeout" ? 0.5 : 10
      // against the other servers some walks never get an answer
      const only = ["--only", "TRN-07,RID-02,RID-07,ENV-01,CRD-01,DEL-01"]
      const starting = serving(afterTheFirst(unanswered[name]))
      const { code, kept, sentence } = await judged(starting, token, seconds, ...only)
      assert.deepStrictEqual(kept, ["TRN-07", "RID-02", "ENV-01"])
      assert.strictEqual(code, 4)
      assert.match(sentence, /^judged \d+ of \d+ musts: 3 passed, 0 failed; \d+ blocked: /)
    })
  }
  it("fails only the rules that the answers break when a rate limit does not end", async () => {
    const { failed, kept } = await judged(serving(afterTheFirst(constant["429 for ever"])), token)
    assert.deepStrictEqual(kept, ["TRN-07", "RID-02", "ENV-01"])
    // the answers themselves lack headers and the envelope
    assert.deepStrictEqual(failed, ["RID-04", "ENV-02", "RTL-01", "RTL-04"])
  })
  it("has an untrusted certificate or no TLS", async () => {
    const page = constant["an empty list and 200"]
    assert.deepStrictEqual(await judged(servingUntrusted(page), token), nothing("it did not answer (unknown issuer)"))
    assert.deepStrictEqual(await judged(servingUntrusted(page), oauth), noToken("did not answer (unknown issuer)"))
    assert.deepStrictEqual(await judged(servingNoTls(page), token), nothing("it did not answer (tls)"))
    assert.deepStrictEqual(await judged(servingNoTls(page), oauth), noToken("did not answer (tls)"))
  })
})

describe("doctor, against garbage", () => {
  const table = [
    [
      "401",
      /^ill {7}answers: \S+ refused the admin's credentials \(401\)\n.* the deployment rejects the admin's token: .*\n$/
    ],
    ["an empty 200", /^well {6}answers: GET \S+ answered 200 in \d+ ms\n(.*\n)*ill {7}create and delete: /],
    ["204", /\nnot tried rate limit: responses have no X-RateLimit-Limit header\n/]
  ] as const
  for (const [name, told] of table) {
    it(`reports the problem and exits with 3: ${name}`, async () => {
      const { down, url } = await serving(constant[name])
      try {
        const ran = await inFolder((folder) =>
          commandLine(["doctor", "-p", writeProfile(folder, profileOf(url, token, 10))], environment)
        )
        assert.strictEqual(ran.code, 3)
        assert.match(ran.told, told)
      } finally {
        down()
      }
    })
  }
})
