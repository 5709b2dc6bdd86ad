import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Event } from "@wcs/conformance/evidence/Event"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { wordOf } from "@wcs/conformance/report/Chain"
import { reproOf, reprosOf } from "@wcs/conformance/repro/Repro"
import { quote, word } from "@wcs/conformance/repro/Shell"
import fc from "fast-check"
import { exchangeOf } from "../Exchanges.ts"
import { redRules, redRun } from "../fixtures/RedRun.ts"
import { reported } from "../fixtures/Rendered.ts"

const origin = "https://tenant.example"

const profile: Profile = {
  name: "small",
  newer: { tenantBaseUrl: origin },
  resolve: { "tenant.example": "127.0.0.1" },
  principals: { admin: { oauth: { clientId: "svc_oauth_1", clientSecret: "${CONF_CLIENT_SECRET}" } } },
  groups: {
    worker: { delete: { method: "DELETE", path: "/workers/{{id}}" } },
    credential: { delete: { method: "DELETE", path: "/credentials/{{id}}" } }
  }
}

const ruleOf = (report: ReturnType<typeof reported>, id: string) => {
  const rule = report.rules.find((candidate) => candidate.id === id)
  if (rule === undefined) throw new Error(`${id} is not in the report`)
  return rule
}

describe("a repro script", () => {
  it("never expands text of a deployment as a variable or a command", () => {
    const evil = `x"; touch ${join("/tmp", "owned")}; "`
    const text = JSON.stringify({ data: { id: "wkr_‹HOME›x", [`${evil}Id`]: "abcdefgh", "a/e;Id": "ijklmnop" } })
    const url = `${origin}/openapi/v1/workers`
    const headers = [["Authorization", "Bearer ‹token of admin›"]] as const
    const exchanges = [
      exchangeOf({ number: 1, step: 1, method: "POST", url, headers, body: "{}", answer: { status: 201, text } }),
      exchangeOf({
        ...{ number: 2, step: 2, url: `${url}/wkr_‹HOME›x`, headers },
        body: "abcdefgh ijklmnop ‹PATH› ‹token of ../x› ‹Basic of admin› $HOME $(id)"
      })
    ]
    const [started] = redRun
    const report = reported([
      ...(started === undefined ? [] : [started]),
      ...exchanges.map((exchange): Event => ({ type: "exchange", exchange })),
      {
        type: "finding",
        finding: {
          ...{ rule: "CRD-05", walk: "area/what", outcome: "fail", exchanges: [2] },
          differences: [{ kind: "wrong-value", exchange: 2, at: `body.${evil}`, expected: evil, actual: evil }]
        }
      }
    ])
    const script = reproOf(report, ruleOf(report, "CRD-05"), profile) ?? ""
    execFileSync("/bin/sh", ["-n"], { input: script })
    assert.notMatch(script, /"\$(HOME|PATH)"/)
    const values = script.split("\n").filter((line) => line.includes("=$(id "))
    assert.deepStrictEqual(values.length, 3)
    assert.isTrue(
      values.every((line) => /^\w+=\$\(id \d+ '[\w.-]+' \d+\)$/.test(line)),
      values.join("\n")
    )
  })

  it("exists for every broken rule and is valid shell", () => {
    const report = reported(redRun, redRules)
    const broken = report.rules.filter(({ verdict }) => verdict === "fail" || verdict === "warn")
    const scripts = reprosOf(report, {
      ...profile,
      tls: { caFile: "ca.pem" }
    })
    assert.deepStrictEqual([...scripts.keys()].toSorted(), broken.map(({ id }) => `repro/${id}.sh`).toSorted())
    for (const [path, script] of scripts) {
      execFileSync("/bin/sh", ["-n"], { input: script })
      assert.include(script, '--cacert "$CA"', path)
      assert.include(script, "--resolve 'tenant.example:443:127.0.0.1'", path)
    }
  })
})

describe("parts of scripts", () => {
  it("finds an id only as a whole word", () => {
    const texts = ["/workers/wkr_12/x", '"wkr_12"', "wkr_123", "wkr_12-3", "awkr_12", "wkr_1"]
    assert.deepStrictEqual(
      texts.map((text) => wordOf("wkr_12").test(text)),
      [true, true, false, false, false, false]
    )
  })
})

describe("shell words", () => {
  const texts = fc
    .string({ unit: "binary", maxLength: 60 })
    .filter((text) => text.isWellFormed() && !text.includes("\0"))
  const shell = (script: string) => execFileSync("/bin/sh", ["-c", script], { env: { part: "it's $(id)" } }).toString()

  it("keeps any text unchanged", () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof(texts, fc.constantFrom("'", "''", "\\", "$x", "`id`", "-n", "*", "\n", "a'b")), {
          minLength: 20,
          maxLength: 40
        }),
        (many) => {
          assert.strictEqual(
            shell(`printf '<%s>' ${many.map(quote).join(" ")}`),
            many.map((text) => `<${text}>`).join("")
          )
        }
      ),
      { numRuns: 30 }
    ))

  it("expands parts, and does not expand their values again", () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(texts, fc.constant("PART")), { minLength: 10, maxLength: 30 }), (many) => {
        const words = many.map((text) => word(text, /PART/g, () => "$part"))
        const expected = many.map((text) => `<${text.replaceAll("PART", "it's $(id)")}>`)
        assert.strictEqual(shell(`printf '<%s>' ${words.join(" ")}`), expected.join(""))
      }),
      { numRuns: 30 }
    ))
})
