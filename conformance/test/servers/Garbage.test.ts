import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
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

const secret = (name: string) => `\${CONF_${name}}`
const secretNames = [
  "ADMIN",
  "OTHER",
  "CLIENT",
  "ENDED",
  "EXPIRED",
  "OWN",
  "OLD",
  "NEW",
  "REVOKED",
  "LIVING",
  "READER",
  "AGAIN",
  "NOBODY",
  "LIMIT"
]
const environment = Object.fromEntries(secretNames.map((name) => [`CONF_${name}`, `secret-of-${name.toLowerCase()}`]))
const workerBody = { identity: { displayName: "{{name}}" }, source: { externalId: "{{unique}}" } }
const owned = { attributes: { owners: { worker: "{{worker}}", applicant: "{{applicant}}" } } }

/** Has every optional part, so that no walk is left out. */
const profileOf = (url: string, admin: Principal, secondsPerCall: number): Profile => ({
  name: "garbage",
  newer: { tenantBaseUrl: url, plainHttpUrl: url.replace("https:", "http:") },
  secondTenant: { tenantBaseUrl: url.replace("localhost", "127.0.0.1"), admin: { token: secret("OTHER") } },
  principals: {
    admin,
    secondClient: { clientId: "x_oauth_1", clientSecret: secret("CLIENT") },
    revokedClient: { clientId: "x_oauth_2", clientSecret: secret("ENDED") },
    expiredToken: secret("EXPIRED"),
    // a personal token would judge the rest without the token endpoint
    ...("oauth" in admin ? {} : { personalToken: secret("OWN") }),
    rotated: { old: secret("OLD"), new: secret("NEW") },
    revokedToken: { revoked: secret("REVOKED"), living: secret("LIVING") },
    rateLimited: { token: secret("LIMIT") },
    limited: [
      { token: secret("NOBODY"), privileges: {} },
      { token: secret("READER"), reissued: secret("AGAIN"), privileges: { worker: ["READ"] } }
    ]
  },
  groups: {
    worker: {
      update: [{ method: "PUT", path: "/workers/{{id}}", body: workerBody }],
      delete: { method: "DELETE", path: "/workers/{{id}}" }
    },
    credential: {
      create: { body: owned },
      update: [{ method: "PATCH", path: "/credentials/{{id}}", body: { attributes: { cardType: "{{unique}}" } } }],
      delete: { method: "DELETE", path: "/credentials/{{id}}" }
    },
    applicant: {
      create: { body: { emailAddress: "{{email}}" } },
      delete: { method: "DELETE", path: "/applicants/{{id}}" }
    }
  },
  ownership: { bulkLink: { from: "{{from}}", to: "{{to}}", credentialIds: "{{credentialIds}}" } },
  sort: { path: "/workers", parameter: "sort", known: "a", unknown: "b" },
  businessRule: { method: "POST", path: "/credentials", body: {}, allowedBody: owned },
  providerPaths: ["/oauth/provider/start"],
  run: { ceiling: "exhaust", concurrency: 64, secondsPerCall, secondsInAll: 20, secondsToWait: 0.5 }
})

const token: Principal = { token: secret("ADMIN") }
const oauth: Principal = { oauth: { clientId: "x_oauth_0", clientSecret: secret("ADMIN") } }

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

/** The answers that are not the service's, and the causes. */
const fronts: Readonly<Record<string, string>> = {
  "301": "a proxy redirects to a login page at HOST",
  "a page and 200": "a web page answered in place of the service",
  "404 in plain text": "the server there does not know the paths of the service"
}

const names = Object.keys(constant).filter((name): name is keyof typeof constant => name in constant)

/** The answers after which nothing is judged, and the causes. The specimen's tests have those that are judged. */
const ends = {
  "a page and 200": `it: ${fronts["a page and 200"]} (200)`, // another server
  "301": `it: ${fronts["301"]} (301)`, // a proxy
  "401": "it refused the admin's credentials (401)",
  "403": "it refused the admin's credentials (403)",
  "404 in plain text": `it: ${fronts["404 in plain text"]} (404)`, // another server
  "429 for ever": "the rate limit did not end within 1 s: GET /openapi/v1/workers answered 429"
} as const satisfies Partial<Record<keyof typeof constant, string>>

describe("a server with one constant answer", () => {
  for (const name of Struct.keys(ends)) {
    it(`ends the run before a rule is judged: ${name}`, async () => {
      const ran = await judged(serving(constant[name]), token)
      assert.deepStrictEqual({ ...ran, sentence: ran.sentence.replace(/localhost:\d+/, "HOST") }, nothing(ends[name]))
    })
  }
  for (const name of names) {
    it(`grants no token: ${name}`, async () => {
      const { code, kept, sentence } = await judged(serving(constant[name]), oauth)
      assert.deepStrictEqual([code, kept], [3, []])
      if (name === "429 for ever") {
        const why = "the rate limit did not end within 1 s: POST /openapi/v1/oauth/token answered 429"
        return assert.strictEqual(sentence, `judged nothing: ${why}`)
      }
      const why =
        fronts[name] === undefined
          ? "the token endpoint answered STATUS without an access_token"
          : `${fronts[name]}; it answered STATUS at the token endpoint`
      const told = sentence.replace(/localhost:\d+/, "HOST").replace(/answered \d{3}/, "answered STATUS")
      assert.strictEqual(told, `judged nothing: no token for admin: ${why}`)
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
    assert.deepStrictEqual(failed, ["OAU-15", "RID-04", "ENV-02", "RTL-01", "RTL-04"])
  })
  it("has an untrusted certificate or no TLS", async () => {
    const page = constant["an empty list and 200"]
    assert.deepStrictEqual(await judged(servingUntrusted(page), token), nothing("it did not answer (unknown issuer)"))
    assert.deepStrictEqual(await judged(servingUntrusted(page), oauth), noToken("did not answer (unknown issuer)"))
    assert.deepStrictEqual(await judged(servingNoTls(page), token), nothing("it did not answer (tls)"))
    assert.deepStrictEqual(await judged(servingNoTls(page), oauth), noToken("did not answer (tls)"))
  })
})

/** Runs the published command to its end. */
const command = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) =>
  new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>((resolve) => {
    const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))
    const child = spawn(process.execPath, [main, ...args], { env })
    let [out, err] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      out += chunk
    })
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      err += chunk
    })
    child.once("close", (code) => resolve({ code, out, err }))
  })

describe("the command itself", () => {
  const table = [
    ["an empty 200", constant["an empty 200"], 1, /^judged \d+ of \d+ musts: 0 passed, \d+ failed; .*\n$/],
    ["never answers", unanswered["never answers"], 3, /^judged nothing: \S+ did not answer \(timeout\)\n$/]
  ] as const
  for (const [name, treat, code, told] of table) {
    it(`exits with ${code} and one line: ${name}`, async () => {
      const { down, url } = await serving(treat)
      try {
        await inFolder(async (folder) => {
          const file = writeProfile(folder, profileOf(url, token, 0.5))
          const args = ["run", "-p", file, "--out", join(folder, "out"), "--quiet"]
          const ran = await command(args, { PATH: process.env["PATH"], ...environment })
          assert.deepStrictEqual([ran.code, ran.err], [code, ""])
          assert.match(ran.out, told)
        })
      } finally {
        down()
      }
    })
  }
})

describe("doctor, against garbage", () => {
  const table = [
    [
      "401",
      /^ill {7}answers: \S+ refused the admin's credentials \(401\)\n.* the deployment rejects the admin's token: .*\n$/
    ],
    ["a page and 200", /^ill {7}answers: \S+: a web page answered in place of the service \(200\)\n/],
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
