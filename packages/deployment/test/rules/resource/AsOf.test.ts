import { assert, layer } from "@effect/vitest"
import { toRfc3339 } from "@wcs/domain/shared/Instant"
import { Effect } from "effect"
import { at, complianceCheck, engaging, exemption, Service, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { dataOf, get, patch, post, remove } from "../NewerSurface.ts"
import { type Row, run } from "../Row.ts"

/** The time of the server's clock as a parameter. The clock then moves on, so that nothing else happens at this time. */
const mark = Effect.gen(function* () {
  const { advance, now } = yield* Service
  yield* advance(1)
  const text = toRfc3339(yield* now)
  yield* advance(1)
  return text
})

// The suites of the stores and of the domain prove what is found, and how times are read.
layer(layerService(), { excludeTestServices: true })("reading as of a time", (it) => {
  it.effect("answers credential, worker and matrix as they were answered then", () =>
    Effect.gen(function* () {
      const ann = yield* worker({ identity: { displayName: "Ann Before" }, employment: { status: "ACTIVE" } })
      const bob = yield* worker()
      const code = yield* complianceCheck({ requirement: { credentialTypes: ["FIRST_AID"] } })
      const card = yield* engaging(ann)
      const paths = [
        `/credentials/${card}`,
        `/workers/${ann}`,
        `/workers/${ann}?include=credentials`,
        `/compliance-matrix?checkId=${code}&workerId=${ann}&workerId=${bob}`
      ]
      const recorded: Array<readonly [string, ReadonlyArray<unknown>]> = []
      const record = Effect.gen(function* () {
        const answers = yield* Effect.forEach(paths, (path) => Effect.map(get(path), dataAndStatus))
        recorded.push([yield* mark, answers])
      })
      const dataAndStatus = (answer: Parameters<typeof dataOf>[0]) => [answer.status, at(answer, "data")]
      yield* record
      yield* patch(`/workers/${ann}`, { identity: { displayName: "Ann After" }, employment: { status: "TERMINATED" } })
      yield* record
      yield* post(`/credentials/${card}/transfer`, {
        from: { type: "worker", id: ann },
        to: { type: "worker", id: bob }
      })
      yield* record
      yield* exemption({ worker: { id: ann } }, { exemptedCredentialTypes: ["FIRST_AID"] })
      yield* patch(`/compliance-checks/${code}`, { requirement: { exemptionsCount: true } })
      yield* record
      yield* patch(`/compliance-checks/${code}`, { enabled: false })
      yield* record
      yield* patch(`/compliance-checks/${code}`, { enabled: true })
      yield* remove(`/credentials/${card}`)
      yield* record
      for (const [asOf, answers] of recorded) {
        const past = yield* Effect.forEach(paths, (path) =>
          Effect.map(get(`${path}${path.includes("?") ? "&" : "?"}asOf=${asOf}`), dataAndStatus)
        )
        assert.deepStrictEqual(past, answers, asOf)
      }
      assert.deepStrictEqual(
        recorded.map(([, answers]) => Object(answers[3])[0]),
        [200, 200, 200, 200, 422, 200]
      )
    })
  )

  it.effect("pages through the workers and checks of that time, without later ones", () =>
    Effect.gen(function* () {
      const before = yield* worker()
      const code = yield* complianceCheck({ requirement: { credentialTypes: ["FIRST_AID"] } })
      const then = yield* mark
      yield* worker()
      yield* complianceCheck()
      const workers: Array<string> = []
      for (let cursor = ""; ; ) {
        const page = yield* get(`/compliance-matrix?asOf=${then}&pageSize=1${cursor}`)
        for (const row of dataOf(page)) {
          workers.push(Object(row).worker.id)
          const last = Object(row).checks.at(-1)
          assert.include(last, { complianceCheckId: code, result: "FAIL" })
        }
        const next = at(page, "meta.nextCursor")
        if (next === null) break
        cursor = `&cursor=${encodeURIComponent(String(next))}`
      }
      assert.strictEqual(workers.at(-1), before)
    })
  )

  it.effect("refuses malformed and future times, what searches the present, and callers without the privilege", () =>
    Effect.gen(function* () {
      const { now } = yield* Service
      const ann = yield* worker()
      const card = yield* engaging(ann)
      const then = yield* mark
      const later = toRfc3339((yield* now) + 60_000)
      const limited = (yield* tokenOf(["worker:READ"])).token
      const rows: ReadonlyArray<Row> = [
        ...[`/credentials/${card}`, `/workers/${ann}`, "/compliance-matrix"].flatMap((path) => [
          { call: `GET ${path}?asOf=soon`, expect: "INVALID_ARGUMENT: asOf" },
          { call: `GET ${path}?asOf=${later}`, expect: "INVALID_ARGUMENT: future" },
          { call: `GET ${path}?asOf=${then}&asOf=${then}`, expect: "INVALID_ARGUMENT: asOf" }
        ]),
        { call: `GET /credentials/${card}?asOf=${then}&include=owners`, expect: "INVALID_ARGUMENT: include" },
        { call: `GET /credentials/${card}?asOf=${then}`, as: limited, expect: "FORBIDDEN" },
        { call: `GET /workers/${ann}?asOf=${then}`, as: limited, expect: { "data.id": ann } },
        { call: `GET /workers/${ann}?asOf=${then}&include=credentials`, as: limited, expect: "FORBIDDEN" },
        { call: `GET /compliance-matrix?asOf=${then}`, as: limited, expect: "FORBIDDEN" },
        ...["sort=id:asc", "query=ann", "externalId=a", "includeTotal=true", "page=1"].map((other) => ({
          call: `GET /compliance-matrix?asOf=${then}&${other}`,
          expect: `INVALID_ARGUMENT: ${other.split("=")[0]}`
        })),
        { call: `GET /compliance-matrix?workerId=${ann}&pageSize=5`, expect: "INVALID_ARGUMENT: pageSize" },
        { call: "GET /compliance-matrix?workerId=ann", expect: "INVALID_ARGUMENT: workerId" },
        { call: `GET /workers?asOf=${then}`, expect: "INVALID_ARGUMENT: asOf" },
        { call: `GET /credentials?asOf=${then}`, expect: "INVALID_ARGUMENT: asOf" }
      ]
      yield* run(rows as readonly [...typeof rows])
    })
  )
})
