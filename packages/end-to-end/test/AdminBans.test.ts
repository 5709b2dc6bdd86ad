import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { serving, temporaryDirectory } from "./Process.ts"
import { type Results, replay } from "./Transcript.ts"

const before = `
$ create-user --email ann@example.com --role 'Super Admin'
{"id":"acc_…",*}
ann = $ create-token --email ann@example.com --name a
{"id":"pat_…",*}
POST /workers <ann.token> {"identity":{"displayName":"Ann"},"source":{"externalId":"HR 1"}}
201
`

const after = `
GET /bans?ownerExternalId=HR%201&sort=createdAt:asc <ann.token>
200 *"urn:wcs:ban:ndis:1"*"MAY_ENGAGE"*"urn:wcs:ban:ndis:2"*"REVIEW_REQUIRED"
`

const line = (key: string, eligibility = "MAY_ENGAGE", externalId = "HR 1") =>
  JSON.stringify({ register: "ndis", key, worker: { externalId }, checkedAt: "2026-01-31T09:30:00Z", eligibility })
const lines = (name: string, length: number) => Array.from({ length }, (_, number) => line(`${name}${number}`))

const [one, two, many, other] = [line("1"), line("2", "MAY_NOT_ENGAGE"), lines("m", 1_100), lines("o", 700)]

/** The file, and what its import prints. */
const imports: ReadonlyArray<readonly [file: string, printed: string]> = [
  [`\uFEFF${one}\r\n\n${two}\n`, '{"created":2,"updated":0,"unchanged":0}'],
  [`${one}\n${line("2", "REVIEW_REQUIRED")}`, '{"created":0,"updated":1,"unchanged":1}'],
  [[...many, line("m0", "ERROR"), line("m0")].join("\n"), '{"created":1100,"updated":2,"unchanged":0}'],
  [many.join("\n"), '{"created":0,"updated":0,"unchanged":1100}'],
  // A refused line of the second batch keeps those before it.
  [other.with(599, "{}").with(649, "[]").join("\n"), "1 INVALID_ARGUMENT line 600: *"],
  [other.slice(0, 599).join("\n"), '{"created":0,"updated":0,"unchanged":599}'],
  [`${one}\n${line("3", "BANNED")}`, "1 INVALID_ARGUMENT line 2: eligibility *"],
  [`\n${line("3", "MAY_ENGAGE", "HR 2")}`, "1 NOT_FOUND line 2: *worker*"],
  [`${one}\nnonsense`, "2 USAGE line 2 is not valid JSON"]
]

describe("wcs admin import-bans", () => {
  it.live("PRV-12: imports the bans of a register through the server, and changes nothing when repeated", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const environment = { WCS_DATA: join(home, "data") }
      const server = yield* serving(environment)
      const file = join(home, "bans.jsonl")
      const results: Results = new Map([["file", file]])
      yield* replay(before, environment, results, server)
      for (const [index, [content, printed]] of imports.entries()) {
        writeFileSync(file, content)
        yield* replay(`$ import-bans <file>\n${printed}`, environment, results)
        if (index === 1) yield* replay(after, environment, results, server)
      }
      yield* replay("$ import-bans <file>.none\n2 USAGE *", environment, results)
    })
  )
})
