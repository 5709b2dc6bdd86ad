import { assert, layer } from "@effect/vitest"
import { type StatusDetail, verdictOf } from "@wcs/domain/holding/Verification"
import { dayAt } from "@wcs/domain/shared/CalendarDay"
import { toRfc3339 } from "@wcs/domain/shared/Instant"
import { Effect } from "effect"
import { at, ban, complianceCheck, engaging, exemption, Service, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { dataOf, get, patch, post, remove, root } from "../NewerSurface.ts"
import { type Row, run } from "../Row.ts"

/** The time of the server's clock as a parameter. The clock then moves on, so that nothing else happens at this time. */
const mark = Effect.gen(function* () {
  const { advance, now } = yield* Service
  yield* advance(1)
  const text = toRfc3339(yield* now)
  yield* advance(1)
  return text
})

/** A change of one of two workers and two cards, or of the check, some seconds after the one before. */
interface Step {
  readonly after: number
  readonly change: keyof typeof changes
  readonly nth: 0 | 1
}

/** The ids of a history. Its cards, exemptions and bans are created by its steps. */
interface World {
  readonly workers: readonly [string, string]
  readonly code: string
  readonly cards: Array<string>
  readonly exemptions: Array<string>
}

type Making = (world: World, nth: 0 | 1) => Effect.Effect<unknown, never, Service>

const changeCard =
  (change: (card: string, world: World) => ReturnType<typeof get>): Making =>
  (world, nth) => {
    const card = world.cards[nth]
    return card === undefined ? Effect.void : change(card, world)
  }

const verdict =
  (statusDetail: StatusDetail): Making =>
  ({ cards }, nth) =>
    Effect.flatMap(Service, ({ recordVerdict }) => {
      const card = cards[nth]
      return card === undefined ? Effect.void : recordVerdict(card, verdictOf(statusDetail))
    })

/** A change that needs the worker. */
const ofWorker =
  (change: (worker: string, world: World) => ReturnType<Making>): Making =>
  (world, nth) => {
    const worker = world.workers[nth]
    return Effect.flatMap(get(`/workers/${worker}`), ({ status }) =>
      status === 200 ? change(worker, world) : Effect.void
    )
  }

/** The UTC day that is this many days ahead. */
const inDays = Effect.fnUntraced(function* (days: number) {
  const { now } = yield* Service
  return toRfc3339((yield* now) + days * day * 1000).slice(0, 10)
})

const ownerOf = (id: string | undefined) => ({ type: "worker", id })

/** Changes of what may be asked as of a time. Some are refused, and then change nothing. */
const changes = {
  name: ({ workers }, nth) => patch(`/workers/${workers[nth]}`, { identity: { displayName: `Ann ${nth}` } }),
  leave: ({ workers }, nth) => patch(`/workers/${workers[nth]}`, { employment: { status: "TERMINATED" } }),
  end: ({ workers }, nth) =>
    Effect.flatMap(inDays(2), (endDate) => patch(`/workers/${workers[nth]}`, { employment: { endDate } })),
  removeWorker: ({ workers }, nth) => remove(`/workers/${workers[nth]}`),
  restoreWorker: ({ workers }, nth) => post(`/workers/${workers[nth]}/restore`),
  add: ofWorker((worker, { cards }) =>
    Effect.gen(function* () {
      const expiryDate = yield* inDays(40)
      cards.push(yield* engaging(worker, { expiryDate }))
    })
  ),
  bar: verdict("BARRED"),
  clear: verdict("VALID"),
  review: verdict("MANUAL_REVIEW_REQUIRED"),
  transfer: changeCard((card, { workers: [from, to] }) =>
    post(`/credentials/${card}/transfer`, { from: ownerOf(from), to: ownerOf(to) })
  ),
  unlink: changeCard((card, { workers: [from] }) => post(`/credentials/${card}/unlink`, { from: ownerOf(from) })),
  correct: changeCard((card) => patch(`/credentials/${card}`, { attributes: { identifier: "12" } })),
  removeCard: changeCard((card) => remove(`/credentials/${card}`)),
  restoreCard: changeCard((card) => post(`/credentials/${card}/restore`)),
  exempt: ofWorker((worker, { exemptions }) =>
    Effect.map(exemption({ worker: { id: worker } }, { exemptedCredentialTypes: ["FIRST_AID"] }), (id) =>
      exemptions.push(id)
    )
  ),
  endExemption: ({ exemptions }, nth) =>
    exemptions[nth] === undefined ? Effect.void : remove(`/exemptions/${exemptions[nth]}`),
  ban: ofWorker((worker) => ban(worker)),
  require: ({ code }, nth) => patch(`/compliance-checks/${code}`, { requirement: { exemptionsCount: nth === 0 } }),
  enable: ({ code }, nth) => patch(`/compliance-checks/${code}`, { enabled: nth === 0 })
} satisfies Record<string, Making>

const day = 86_400

/** Each change at least once. `ResourceHistorySuite.ts` tries random histories. */
const every: ReadonlyArray<Step> = [
  ...(["add", "name", "bar", "clear", "transfer", "exempt", "require", "endExemption", "correct"] as const),
  ...(["ban", "unlink", "removeCard", "restoreCard", "review", "leave", "removeWorker", "restoreWorker"] as const)
]
  .map((change): Step => ({ after: day, change, nth: 0 }))
  .concat([
    { after: 1, change: "end", nth: 1 },
    { after: 4 * day, change: "name", nth: 0 },
    { after: 1, change: "enable", nth: 1 },
    { after: 1, change: "enable", nth: 0 },
    { after: 41 * day, change: "add", nth: 1 },
    { after: 41 * day, change: "name", nth: 1 }
  ])

/** What was answered at a time, by path. */
interface Recorded {
  readonly asOf: string
  readonly day: string
  readonly answers: ReadonlyMap<string, readonly [status: number, data: unknown]>
}

const pathsOf = ({ cards, code, workers }: World): ReadonlyArray<string> => [
  ...cards.flatMap((card) => [`/credentials/${card}`, `/credentials/${card}?includeDeleted=true`]),
  ...workers.flatMap((worker) => [`/workers/${worker}?includeDeleted=true`, `/workers/${worker}?include=credentials`]),
  `/compliance-matrix?checkId=${code}&pageSize=50`,
  `/compliance-matrix?checkId=${code}${workers.map((worker) => `&workerId=${worker}`).join("")}`
]

const answered = (path: string) =>
  Effect.map(get(path), (answer) => [answer.status, at(answer, "data") ?? at(answer, "error.code")] as const)

/** Applies the steps, and records the answers after each. Then compares the answers as of each of these times. */
const replay = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, results: Set<unknown>) {
  const { advance, now, tenant } = yield* Service
  const workers = [yield* worker(), yield* worker()] as const
  const code = yield* complianceCheck({ requirement: { credentialTypes: ["FIRST_AID"] } })
  const world: World = { workers, code, cards: [], exemptions: [] }
  const all: Array<Recorded> = []
  const record = Effect.gen(function* () {
    const answers = new Map<string, readonly [number, unknown]>()
    for (const path of pathsOf(world)) answers.set(path, yield* answered(path))
    all.push({ asOf: yield* mark, day: dayAt(yield* now, tenant.timeZone), answers })
  })
  yield* record
  for (const { after, change, nth } of steps) {
    yield* advance(after)
    yield* changes[change](world, nth)
    yield* record
  }
  const last = new Map(all.map((one) => [one.day, one]))
  const times = [...all, ...Array.from(last.values(), (one) => ({ ...one, asOf: one.day }))]
  for (const { answers, asOf } of times) {
    for (const path of pathsOf(world)) {
      const past = yield* answered(`${path}${path.includes("?") ? "&" : "?"}asOf=${asOf}`)
      const then = answers.get(path) ?? [404, "NOT_FOUND"] // created later
      assert.deepStrictEqual(past, then, `${path} as of ${asOf}`)
      if (!path.startsWith("/compliance-matrix")) continue
      const [status, data] = then
      results.add(status)
      if (Array.isArray(data)) for (const row of data) results.add(row.checks[0].result)
    }
  }
})

// The suites of the stores and of the domain prove what is found, and how times are read.
layer(layerService(), { excludeTestServices: true })("reading as of a time", (it) => {
  it.effect("has the workers and checks of that time in pages and in a CSV file, without later ones", () =>
    Effect.gen(function* () {
      const before = [yield* worker(), yield* worker()]
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
      assert.deepStrictEqual(workers.slice(-2), before)
      const { call } = yield* Service
      const fileOf = (query: string) => {
        const [path, headers] = [`${root}/compliance-matrix?${query}`, { accept: "text/csv" }]
        return Effect.map(call({ method: "GET", path, headers }), ({ text }) => text.match(/wkr_\w+/g))
      }
      assert.deepStrictEqual(yield* fileOf(`asOf=${then}`), workers)
      assert.deepStrictEqual(yield* fileOf(`asOf=${then}&workerId=${before[1]}`), before.slice(1))
    })
  )

  it.effect("threat 63: answers credentials, workers and a matrix as they were answered then, after each change", () =>
    Effect.gen(function* () {
      const results = new Set<unknown>()
      yield* replay(every, results)
      assert.includeMembers([...results], ["PASS", "FAIL", 422])
    })
  )

  it.effect(
    "threat 63: refuses malformed and future times, what searches the present, and callers without the privilege",
    () =>
      Effect.gen(function* () {
        const { now } = yield* Service
        const ann = yield* worker()
        const bob = yield* worker()
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
          {
            call: `GET /compliance-matrix?workerId=${ann}&workerId=${bob}&pageSize=1`,
            expect: "INVALID_ARGUMENT: pageSize"
          },
          { call: `GET /compliance-matrix?workerId=${ann}&query=ann`, expect: "INVALID_ARGUMENT: query" },
          { call: "GET /compliance-matrix?workerId=ann", expect: "INVALID_ARGUMENT: workerId" },
          { call: `GET /workers?asOf=${then}`, expect: "INVALID_ARGUMENT: asOf" },
          { call: `GET /credentials?asOf=${then}`, expect: "INVALID_ARGUMENT: asOf" }
        ]
        yield* run(rows as readonly [...typeof rows])
      })
  )
})
