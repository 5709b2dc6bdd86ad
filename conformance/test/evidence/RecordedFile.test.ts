import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { catalogueDigest } from "@wcs/conformance/catalogue/CatalogueDigest"
import type { Event } from "@wcs/conformance/evidence/Event"
import { recordOf } from "@wcs/conformance/evidence/RecordedFile"
import { suiteVersion } from "@wcs/conformance/release/SuiteVersion"
import { shapeOf } from "@wcs/conformance/wire/SecretShape"
import { commandLine, inFolder } from "../CommandLine.ts"
import { exchangeOf } from "../Exchanges.ts"
import { profile } from "../Invented.ts"

/** A run whose token was rejected in the preflight. */
const events: ReadonlyArray<Event> = [
  {
    type: "evidence",
    evidence: {
      of: "profile",
      version: 2,
      profile,
      secrets: { ADMIN: { handle: "‹ADMIN›", shape: shapeOf("the-token") } }
    }
  },
  {
    ...{ type: "run-started", run: "r1", suiteVersion, catalogueDigest, profile: "invented", deployment: {} },
    ...{ target: "https://one.example", ceiling: "mutate-own", startedAt: 0, walks: [], only: null }
  },
  {
    type: "exchange",
    exchange: exchangeOf({
      ...{ number: 1, walk: "preflight", step: 1, method: "GET" },
      url: "https://one.example/openapi/v1/workers?pageSize=1",
      answer: { status: 401, text: "{}" }
    })
  },
  { type: "residue", residue: { type: "worker", name: "conf-r1-1", why: "may have been made" } },
  {
    ...{ type: "run-ended", endedAt: 5 },
    ending: { as: "unreachable", sentence: "https://one.example refused the admin's credentials (401)" }
  }
]

const write = (folder: string, changed: Readonly<Record<string, string | undefined>> = {}) => {
  for (const [name, text] of recordOf(events)) {
    if (!(name in changed)) writeFileSync(join(folder, name), text)
    else if (changed[name] !== undefined) writeFileSync(join(folder, name), changed[name])
  }
}

const [, evidence = ""] = recordOf(events).find(([name]) => name === "evidence.ndjson") ?? []
const [, exchanges = ""] = recordOf(events).find(([name]) => name === "exchanges.ndjson") ?? []

describe("wcs-conformance judge", () => {
  it("ends with 3 when the run had nothing to judge", () =>
    inFolder(async (folder) => {
      write(folder)
      const { code, told } = await commandLine(["judge", folder, "--quiet"])
      assert.deepStrictEqual(
        [code, told],
        [3, "judged nothing: https://one.example refused the admin's credentials (401)\n"]
      )
    }))

  it("refuses invalid records with the reason", () =>
    inFolder(async (folder) => {
      const refused: ReadonlyArray<readonly [Readonly<Record<string, string | undefined>>, string]> = [
        [{ "evidence.ndjson": undefined }, "evidence.ndjson cannot be read"],
        [{ "exchanges.ndjson": undefined }, "exchanges.ndjson cannot be read"],
        [{ "evidence.ndjson": "" }, "does not record how the run began"],
        [{ "evidence.ndjson": evidence.split("\n").slice(1).join("\n") }, "does not record the profile of the run"],
        [{ "evidence.ndjson": evidence.replace(suiteVersion, "9.9.9") }, "is of suite 9.9.9, and this is suite"],
        [{ "evidence.ndjson": evidence.replace(catalogueDigest, "0") }, "was judged by catalogue 0, and this is"],
        [{ "evidence.ndjson": evidence.replace('"of":"profile"', '"of":"it"') }, "is not a record of a run: line 1"],
        [{ "evidence.ndjson": evidence.replace('"version":2', '"version":1') }, "is not a record of a run: line 1"],
        [{ "exchanges.ndjson": `${exchanges}{"number":2}\n` }, "exchanges.ndjson is not a record of a run: line 2"]
      ]
      for (const [changed, why] of refused) {
        await inFolder(async (own) => {
          write(own, changed)
          const { code, told } = await commandLine(["judge", own])
          assert.strictEqual(code, 2, why)
          assert.include(told, why)
        })
      }
      write(folder)
      const { code, told } = await commandLine(["judge", folder, "--out", `${folder}/.`])
      assert.strictEqual(code, 2)
      assert.include(told, "--out: this folder holds the evidence")
    }))
})
