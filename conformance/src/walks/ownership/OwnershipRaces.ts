import { Effect } from "effect"
import fc from "fast-check"
import { follows, isAccepted, isDecided, isExplained, overlapped } from "../../calls/OwnershipHistory.ts"
import type { People } from "../../calls/OwnershipSteps.ts"
import { ownersPosition } from "../../calls/Reading.ts"
import {
  type Operation,
  otherSlot,
  type Party,
  type SlotName,
  type SlotState,
  slotNames
} from "../../calls/Transitions.ts"
import type { AnswersRuleId } from "../../catalogue/Catalogue.ts"
import { type Difference, historyPosition } from "../../judgement/Difference.ts"
import * as Expect from "../../judgement/Expect.ts"
import { inconclusive, judge } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { limitsOf } from "../../profile/Limits.ts"
import { judgeUnlessMistaken } from "./OwnershipBodies.ts"
import { type Planner, type Racer, type Round, runRounds } from "./Races.ts"
import { holds } from "./Slots.ts"

/** Whether changing operations overlapped; reads do not count. */
const isRace = ({ racers }: Round): boolean => {
  const operations = racers.filter(({ operation }) => operation !== undefined)
  return operations.some((one) => operations.some((other) => overlapped(one, other)))
}

const exchangesOf = ({ closing, racers }: Round) => [...racers, closing].map(({ exchange }) => exchange)

/** The defects of a round apart from its history; undefined if there are none. */
type Look = (round: Round) => ReadonlyArray<Difference> | undefined

/**
 * Judges a rule by the rounds in which calls overlapped. Reports the first failing round and the number of failures.
 * Inconclusive without such a round.
 */
const judgeRounds = Effect.fnUntraced(function* (
  rule: AnswersRuleId,
  rounds: ReadonlyArray<Round>,
  expected: string,
  look: Look
) {
  const races = rounds.filter(isRace)
  const wrong = races.flatMap((round) => {
    const differences = look(round)
    return differences === undefined ? [] : [{ round, differences }]
  })
  const [first] = wrong
  if (first !== undefined) {
    const { differences, round } = first
    const told = Expect.difference(round.closing.exchange, "wrong-value", historyPosition, expected, [
      ...round.story,
      `wrong in ${wrong.length} of ${races.length} rounds`
    ])
    return yield* judgeUnlessMistaken(rule, exchangesOf(round), [...differences, ...told])
  }
  if (races.length === 0) {
    return yield* inconclusive(rule, "no calls were under way at the same time", rounds.flatMap(exchangesOf))
  }
  yield* judge(rule, races.flatMap(exchangesOf), [])
})

/** The final slots follow from the accepted calls. */
const lookAtTheEnd: Look = ({ closing: { exchange, shown }, initial, racers }) => {
  if (shown === undefined) return undefined
  const [where, owners] = [`body.${ownersPosition}`, Expect.valueAt(exchange, ownersPosition)]
  if (shown.worker === null && shown.applicant === null) {
    return Expect.difference(exchange, "missing", where, "one owner", owners)
  }
  return follows(initial, racers, shown)
    ? undefined
    : Expect.difference(exchange, "wrong-value", where, "the result of the accepted calls", owners)
}

const lookAtTheOrder: Look = ({ closing, initial, racers }) =>
  isExplained(initial, [...racers, closing]) ? undefined : []

/** The rules for every history. */
const judgeHistories = Effect.fnUntraced(function* (rounds: ReadonlyArray<Round>) {
  yield* judgeRounds("OWN-23", rounds, "an order of the accepted calls that leads to the final owners", lookAtTheEnd)
  yield* judgeRounds("OWN-19", rounds, "an order that explains every answer", lookAtTheOrder)
})

/** Operations that fill an empty slot, or empty a full one. */
const filling = (state: SlotState, people: People, slot: SlotName): ReadonlyArray<Operation> => {
  const [to] = people[slot]
  return state[slot] !== null || to === undefined ? [] : [{ verb: "link", to }]
}

const emptying = (state: SlotState, slot: SlotName): ReadonlyArray<Operation> => {
  const holder = state[slot]
  return holder === null ? [] : [{ verb: "unlink", from: { type: slot, id: holder } }]
}

/** Alternates between the slots. */
const slotOfRound = (round: number): SlotName => (round % 2 === 1 ? "applicant" : "worker")

/** Two links into an empty slot, or two unlinks of both owners. Each race prepares the other one. */
const linksOrUnlinksAtOnce: Planner = (state, people, round) => {
  const empty = slotNames.find((slot) => state[slot] === null)
  if (empty !== undefined) {
    return { before: [], racers: people[empty].slice(0, 2).map((to): Racer => ({ verb: "link", to })) }
  }
  // the first call wins most races
  const first = slotOfRound(Math.ceil(round / 2))
  const racers = [first, otherSlot(first)].flatMap((slot) => emptying(state, slot))
  return { before: [], racers }
}

const isOf =
  (verb: Operation["verb"]) =>
  ({ racers }: Round): boolean =>
    racers.some(({ operation }) => operation?.verb === verb)

/** One of two links succeeds, and the other is refused as a conflict. */
const lookAtTheLinks: Look = ({ closing, initial, racers }) => {
  if (!racers.every(isDecided)) return undefined
  const winners = racers.filter(isAccepted)
  const [winner, ...others] = winners
  const [first] = racers
  if (first === undefined) return undefined
  if (winner === undefined) return Expect.status(first.exchange, 200)
  const { operation } = winner
  const refusals = racers.filter((one) => !isAccepted(one))
  const differences = [
    ...[...others, ...refusals].flatMap(({ exchange }) => Expect.error(exchange, 409, "ALREADY_LINKED")),
    ...(operation?.verb === "link" && others.length === 0 && closing.shown !== undefined
      ? holds(closing.exchange, {
          ...(initial.worker === null ? {} : { worker: initial.worker }),
          ...(initial.applicant === null ? {} : { applicant: initial.applicant }),
          [operation.to.type]: operation.to.id
        })
      : [])
  ]
  return differences.length === 0 ? undefined : differences
}

const lookAtTheUnlinks: Look = ({ closing: { exchange, shown } }) =>
  shown !== undefined && shown.worker === null && shown.applicant === null
    ? Expect.difference(
        exchange,
        "missing",
        `body.${ownersPosition}`,
        "one owner",
        Expect.valueAt(exchange, ownersPosition)
      )
    : undefined

const pairRaces = walk({
  name: "ownership/pairs-at-once",
  judges: ["OWN-17", "OWN-18", "OWN-19", "OWN-23"],
  impact: "mutate-own",
  needs: ["credential body", "applicant"]
})(function* () {
  const rounds = yield* runRounds(linksOrUnlinksAtOnce, 2)
  const [links, unlinks] = [rounds.filter(isOf("link")), rounds.filter(isOf("unlink"))]
  yield* judgeRounds("OWN-17", links, "one accepted link and one refused as a conflict", lookAtTheLinks)
  yield* judgeRounds("OWN-18", unlinks, "one remaining owner", lookAtTheUnlinks)
  yield* judgeHistories(rounds)
})

/** Operations of a mixture, besides one read. */
const operationsInAMixture = 3

/** Operations that mostly succeed one at a time. Sent concurrently, they conflict. */
const operationsIn = (state: SlotState, people: People): fc.Arbitrary<Operation> => {
  const held = slotNames.flatMap((type) => {
    const id = state[type]
    return id === null ? [] : [{ type, id }]
  })
  const anybody = fc.constantFrom<Party>(...people.worker, ...people.applicant)
  const holder = fc.constantFrom<Party>(...(held.length === 0 ? people.worker : held))
  const empty = slotNames.filter((slot) => state[slot] === null)
  const wanted = fc.constantFrom<Party>(...(empty.length === 0 ? slotNames : empty).flatMap((slot) => people[slot]))
  return fc.oneof(
    wanted.map((to): Operation => ({ verb: "link", to })),
    fc
      .oneof({ weight: 3, arbitrary: holder }, { weight: 1, arbitrary: anybody })
      .map((from): Operation => ({ verb: "unlink", from })),
    holder.chain((from) =>
      fc.constantFrom<Party>(...people[from.type]).map((to): Operation => ({ verb: "transfer", from, to }))
    )
  )
}

/** A read, and transfers from the owner to all others of its type: only one transfer can succeed. */
const transfersAtOnce: Planner = (state, people, round) => {
  const slot = slotOfRound(Math.ceil(round / 2))
  const from: Party = { type: slot, id: state[slot] ?? people[slot][0]?.id ?? "" }
  const others = people[slot].filter(({ id }) => id !== from.id)
  return {
    before: filling(state, people, slot),
    racers: [...others.map((to): Racer => ({ verb: "transfer", from, to })), "read"]
  }
}

/** Operations chosen by the seed, alternating with transfers of one owner. */
const mixture =
  (seed: number): Planner =>
  (state, people, round) => {
    if (round % 2 === 0) return transfersAtOnce(state, people, round)
    const operations = fc.array(operationsIn(state, people), {
      minLength: operationsInAMixture,
      maxLength: operationsInAMixture
    })
    const [racers = []] = fc.sample(operations, { seed: seed + round, numRuns: 1 })
    return { before: [], racers: [...racers, "read"] }
  }

const mixedRaces = walk({
  name: "ownership/anything-at-once",
  judges: ["OWN-19", "OWN-23"],
  impact: "mutate-own",
  needs: ["credential body", "applicant"]
})(function* () {
  const { seed } = limitsOf((yield* Session).profile)
  yield* judgeHistories(yield* runRounds(mixture(seed)))
})

/** Concurrent calls on one credential. */
export const raceWalks: ReadonlyArray<Walk> = [pairRaces, mixedRaces]
