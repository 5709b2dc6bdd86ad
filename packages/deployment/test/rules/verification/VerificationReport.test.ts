import { assert, layer } from "@effect/vitest"
import { reportColumns } from "@wcs/domain/credential/VerificationReport"
import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { Effect, Stream } from "effect"
import { Csv } from "effect/encoding"
import { Service, verified, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, root } from "../NewerSurface.ts"
import { run } from "../Row.ts"

const path = "/reports/verifications"

/** The answer to a wish for the report as a CSV file. */
const fileOf = (query: string) =>
  Service.use(({ call }) => call({ method: "GET", path: `${root}${path}?${query}`, headers: { accept: "text/csv" } }))

/** The report as a CSV file: its answer, and its lines as objects. */
const file = Effect.fnUntraced(function* (query: string) {
  const answer = yield* fileOf(query)
  const lines = yield* Stream.succeed(answer.text).pipe(
    Stream.pipeThroughChannel(Csv.decodeString({ headers: true })),
    Stream.runCollect,
    Effect.orDie
  )
  return { answer, lines }
})

/** The values of a line as those of a row. */
const textsOf = (row: unknown) =>
  Object.fromEntries(Object.entries(Object(row)).map(([name, value]) => [name, value === null ? "" : String(value)]))

// The tests of the domain have the rules of a row, and the suite of the stores the order of the rows.
layer(layerService(), { excludeTestServices: true })("R16: the report of verifications", (it) => {
  it.effect("has the six facts of each worker, as JSON and as CSV", () =>
    Effect.gen(function* () {
      const { now } = yield* Service
      const source = { sourceSystem: "facts" }
      const identity = { displayName: '=Ann, "Ä" Example', birthDate: "1990-04-01" }
      const employment = { workerType: "VOLUNTEER", status: "ACTIVE" }
      const ann = yield* worker({ source: { ...source, externalId: "facts-1" }, identity, employment })
      const bo = yield* worker({ source, identity: { displayName: "Bo Example" } })
      const card = yield* verified({ worker: ann })
      const answer = yield* get(`${path}?sourceSystem=facts`)
      assertStatus(answer, 200)
      assert.strictEqual(answer.headers["vary"], "accept")
      const [first, second, ...others] = dataOf(answer)
      assert.deepStrictEqual(others, [])
      const { expiryDate } = Object(first)
      assert.match(expiryDate, /^\d{4}-\d{2}-\d{2}$/)
      assert.deepStrictEqual(first, {
        workerId: ann,
        externalId: "facts-1",
        displayName: '=Ann, "Ä" Example',
        birthDate: "1990-04-01",
        engagement: "VOLUNTARY",
        workerStatus: "ACTIVE",
        credentialId: card,
        credentialType: "WWCC_NSW",
        identifier: "WWC1234567E",
        verifiedOn: dayAt(yield* now, defaultTimeZone),
        eligibility: "MAY_ENGAGE",
        statusDetail: "VALID",
        expiryDate
      })
      assert.deepStrictEqual(textsOf(second), {
        ...Object.fromEntries(reportColumns.map((name) => [name, ""])),
        ...{ workerId: bo, displayName: "Bo Example" }
      })

      const { answer: csv, lines } = yield* file("sourceSystem=facts")
      assert.strictEqual(csv.headers["content-type"], "text/csv; charset=utf-8")
      assert.match(String(csv.headers["content-disposition"]), /^attachment; filename="verifications-[\d-]+\.csv"$/)
      assert.include(csv.text, "\r\n")
      assert.deepStrictEqual(lines, [{ ...textsOf(first), displayName: '\'=Ann, "Ä" Example' }, textsOf(second)])
    })
  )

  it.effect("ENV-07: refuses parameters that it does not know, in both forms, and those of pages in the file", () =>
    Effect.gen(function* () {
      const refused: ReadonlyArray<readonly [query: string, field: string]> = [
        ["credentialType=FIRST_AID", "credentialType"],
        ["eligibility=VALID", "eligibility"],
        ["workerStatus=GONE", "workerStatus"],
        ["workerStatus=ACTIVE&workerStatus=ACTIVE", "workerStatus"],
        ["include=credentials", "include"],
        ["format=csv", "format"]
      ]
      yield* run(
        refused.map(([query, field]) => ({ call: `GET ${path}?${query}`, expect: `INVALID_ARGUMENT: ${field}` }))
      )
      const onlyPages = ["cursor=c", "page=1", "pageSize=5", "includeTotal=true"].map((query) => {
        const [field = ""] = query.split("=")
        return [query, field] as const
      })
      for (const [query, field] of [...refused, ...onlyPages]) {
        assertRefused(yield* fileOf(query), "INVALID_ARGUMENT", field)
      }
    })
  )
})
