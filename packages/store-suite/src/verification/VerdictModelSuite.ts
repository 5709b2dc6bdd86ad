import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { freshTenant, type Stores, subscribe, type TenantTest } from "../Fixtures.ts"
import { putWorker } from "../ownership/Owning.ts"
import { check } from "../Property.ts"
import { type Answer, type Card, dates } from "./VerdictModel.ts"
import {
  answerAll,
  askAll,
  assertShown,
  assertTold,
  createAll,
  type Seen,
  type UseCases,
  useCases,
  verifyAll,
  type World,
  type Write,
  writeAll
} from "./VerdictWorld.ts"
import { noRuns } from "./VerificationFixtures.ts"

/** Credentials of one program. They run concurrently, and each is a sequence of its own. */
const perProgram = 50
const programs = 3

const fields = {
  // The registers of the first two are asked with the number alone.
  credentialType: fc.constantFrom(
    "NDIS_WORKER_SCREENING",
    "NDIS_WORKER_SCREENING",
    "TEACHER_REGISTRATION_VIC",
    "FIRST_AID"
  ),
  identifier: fc.constantFrom("WWC0000001E", "WWC0000010E"),
  issueNumber: fc.constantFrom(undefined, "1"),
  lastName: fc.constantFrom(undefined, "Example")
}
const date = fc.constantFrom(...dates)
const card: fc.Arbitrary<Card> = fc.record(fields)

const write: fc.Arbitrary<Write> = fc.record({
  by: fc.constantFrom("PATCH", "PUT of what GET answered", "PUT of what a person writes", "the last PUT again"),
  change: fc.oneof(
    { weight: 2, arbitrary: fc.record({ identifier: fields.identifier }) },
    { weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.constant({}) }
  ),
  date: fc.oneof(
    { weight: 3, arbitrary: fc.constant("kept" as const) },
    { weight: 2, arbitrary: fc.option(date, { nil: undefined }) }
  )
})

const answer: fc.Arbitrary<Answer> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      _tag: fc.constant("Found" as const),
      detail: fc.constantFrom("VALID", "SUSPENDED", "EXPIRED", "CONDITIONAL"),
      date: fc.option(date),
      isOld: fc.boolean()
    })
  },
  { weight: 1, arbitrary: fc.constant({ _tag: "Queued" as const }) },
  { weight: 1, arbitrary: fc.constant({ _tag: "Failed" as const }) }
)

type Services = Stores | UseCases

/** Runs an effect with the services of the program. */
type Run = (effect: Effect.Effect<unknown, unknown, Services>) => Promise<unknown>

/** A concurrent step of all credentials. Afterwards each has the state of its model. */
class Step<Choice> implements fc.AsyncCommand<World, Run> {
  readonly name: string
  readonly choices: ReadonlyArray<Choice>
  readonly effect: (world: World, choices: ReadonlyArray<Choice>) => Effect.Effect<unknown, never, Services>

  constructor(name: string, choices: ReadonlyArray<Choice>, effect: Step<Choice>["effect"]) {
    this.name = name
    this.choices = choices
    this.effect = effect
  }

  check = () => true
  run = async (world: World, run: Run) => {
    await run(Effect.andThen(this.effect(world, this.choices), assertShown(world)))
  }
  toString = () => `${this.name} ${fc.stringify(this.choices)}`
}

const forEach = <Choice>(choice: fc.Arbitrary<Choice>): fc.Arbitrary<ReadonlyArray<Choice | null>> =>
  fc.array(fc.option(choice, { freq: 4 }), { minLength: perProgram, maxLength: perProgram })

/** The register answers, and is then asked about due runs. Steps in between happen while it is asked. */
const answerAndAsk = (world: World, answers: ReadonlyArray<Answer | null>) =>
  Effect.andThen(answerAll(world, answers), askAll(world))

const commands = fc.commands<World, Run, false>(
  [
    forEach(write).map((choices) => new Step("write", choices, writeAll)),
    forEach(answer).map((choices) => new Step("answer and ask", choices, answerAndAsk)),
    forEach(fc.boolean()).map((choices) => new Step("verify", choices, verifyAll))
  ],
  { maxCommands: 20, size: "max" }
)

const creates = fc.array(fc.record({ card, date: fc.option(date, { nil: undefined }) }), {
  minLength: perProgram,
  maxLength: perProgram
})

const valid: Answer = { _tag: "Found", detail: "VALID", date: null, isOld: false }

/** Answers everything, until no run is due. */
const endAll = Effect.fnUntraced(function* (world: World) {
  const answers = world.credentials.map(() => valid)
  for (;;) {
    yield* answerAll(world, answers)
    if ((yield* askAll(world)) === 0) return
  }
})

const runProgram = (
  tenant: string,
  seen: Seen,
  created: Parameters<typeof createAll>[1],
  steps: Iterable<fc.AsyncCommand<World, Run>>
) =>
  Effect.gen(function* () {
    yield* noRuns
    yield* subscribe(tenant, "webhook", ["credential.verified"])
    const worker = yield* putWorker(tenant)
    const world: World = { tenant, worker, credentials: [], seen }
    yield* createAll(world, created)
    const run = Effect.runPromiseWith(yield* Effect.context<Services>())
    yield* Effect.promise((signal) =>
      fc.asyncModelRun(() => ({ model: world, real: (effect) => run(effect, { signal }) }), steps)
    )
    yield* endAll(world)
    yield* assertShown(world)
    yield* assertTold(world)
  }).pipe(Effect.provide(useCases(tenant)))

/** Events that must happen. Otherwise the property proves too little. */
const events = [
  "started",
  "changed",
  "unchanged",
  "another card after a register's date",
  "a cleared date in a PUT sent twice",
  "an answer is applied",
  "an answer is of another card",
  "an answer is moot",
  "a reviewer decides",
  "an outcome is reused"
]

/** The use cases of credentials over an adapter's stores, compared with a model. */
export const verdictModelSuite = (it: TenantTest): void => {
  describe("a verdict", () => {
    it("depends only on the current fields of a credential and on answers about them, in any sequence", function* () {
      const seen: Seen = new Map()
      // A round is 150 sequences. A rare event may be missing in some rounds, but not in ten.
      for (let round = 0; round < 10 && events.some((event) => !seen.has(event)); round++) {
        yield* check(
          fc.noBias(fc.tuple(creates, commands)),
          ([created, steps]) => runProgram(freshTenant(), seen, created, steps),
          { numRuns: programs, endOnFailure: true } // shrinking a program takes minutes
        )
      }
      for (const event of events) assert.isAbove(seen.get(event) ?? 0, 0, event)
    }, 120_000)
  })
}
