import { Deferred, Effect } from "effect"
import type { Evidence } from "../evidence/Evidence.ts"
import type { Recorded } from "../evidence/Recorded.ts"
import { Blocked } from "../judgement/Blocked.ts"
import { inWords } from "../judgement/Judge.ts"
import type { Address, Receiving } from "../judgement/Receiving.ts"
import type { Json } from "../text/Json.ts"
import type { Exchange, Request } from "../wire/Exchange.ts"
import { tokensWalk } from "./Bearers.ts"
import type { Ready, Send } from "./Sending.ts"
import type { Recalled } from "./Sessions.ts"
import { Halted } from "./Walking.ts"

type Of<Which extends Evidence["of"]> = Extract<Evidence, { readonly of: Which }>

const evidenceOf = <Which extends Evidence["of"]>({ circumstances }: Recorded, which: Which) =>
  circumstances.flatMap((one) =>
    one.type === "evidence" && one.evidence.of === which ? [one.evidence as Of<Which>] : []
  )

const isSent = ({ kind }: Exchange): boolean => kind !== "delivery"

/** One call of a walk and its exchanges: a 429 is sent again. */
interface Step {
  readonly exchanges: ReadonlyArray<Exchange>
  isTaken: boolean
}

const stepsOf = (exchanges: ReadonlyArray<Exchange>): ReadonlyMap<string, ReadonlyMap<number, Step>> =>
  new Map(
    [...Map.groupBy(exchanges.filter(isSent), ({ walk }) => walk)].map(([walk, own]) => [
      walk,
      new Map(
        [...Map.groupBy(own, ({ step }) => step)].map(([step, some]) => [step, { exchanges: some, isTaken: false }])
      )
    ])
  )

const isSame = (one: Request, other: Request): boolean =>
  one.method === other.method && one.url === other.url && one.body === other.body

/** Returns a function that takes the next value of a named list, or undefined. */
const taking = <A>(some: ReadonlyArray<readonly [name: string, value: A]>) => {
  const left = new Map([...Map.groupBy(some, ([name]) => name)].map(([name, own]) => [name, own.map(([, one]) => one)]))
  return (name: string): A | undefined => left.get(name)?.shift()
}

/** An offset for names that the recorded run did not use. */
const strangeNames = 1_000_000

/** The points at which walks were interrupted. */
const haltsOf = Effect.fnUntraced(function* (recorded: Recorded) {
  const halts = new Map<string, { readonly why: Halted; readonly halted: Deferred.Deferred<never, Halted> }>()
  for (const { lacks, reason, walk } of evidenceOf(recorded, "halted")) {
    const why = new Halted({ reason, ...(lacks === undefined ? {} : { lacks }) })
    halts.set(walk, { why, halted: yield* Deferred.make<never, Halted>() })
  }
  return {
    isHalted: (walk: string): boolean => halts.has(walk),
    /** Fails when the walk reaches the point of its interruption. */
    haltedOf: (walk: string): Effect.Effect<never, Halted> => {
      const known = halts.get(walk)
      return known === undefined ? Effect.never : Deferred.await(known.halted)
    },
    /** The walk has reached that point. */
    halt: (walk: string): Effect.Effect<never> => {
      const known = halts.get(walk)
      const failing = known && Deferred.fail(known.halted, known.why)
      return Effect.andThen(failing ?? Effect.void, Effect.never)
    }
  }
})

type Halts = Effect.Success<ReturnType<typeof haltsOf>>

const keyOf = ({ step, walk }: { readonly walk: string; readonly step: number }): string => `${walk} ${step}`

/** The addresses of the walks, with the deliveries that each walk saw. */
const addressesIn = (recorded: Recorded, exchanges: ReadonlyArray<Exchange>, halts: Halts) => {
  const urls = new Map(evidenceOf(recorded, "address").map((one) => [keyOf(one), one.url]))
  const deaf = new Map(evidenceOf(recorded, "deaf").map((one) => [keyOf(one), one.reason]))
  const deliveries = Map.groupBy(
    exchanges.filter((exchange) => !isSent(exchange)),
    keyOf
  )
  const countOf = taking(evidenceOf(recorded, "came").map((one) => [keyOf(one), one.count]))
  const reachedOf = taking(evidenceOf(recorded, "reached").map((one) => [keyOf(one), one.isReached]))

  return (walk: string, step: number): Effect.Effect<Address, Blocked> => {
    const key = keyOf({ walk, step })
    const url = urls.get(key)
    if (url === undefined) {
      const reason = deaf.get(key) ?? `the evidence has no address ${step} of the walk`
      return halts.isHalted(walk) ? halts.halt(walk) : Effect.fail(new Blocked({ reason, exchanges: [] }))
    }
    const all = deliveries.get(key) ?? []
    const came = Effect.suspend((): Effect.Effect<ReadonlyArray<Exchange>> => {
      const count = countOf(key)
      if (count === undefined && halts.isHalted(walk)) return halts.halt(walk)
      return Effect.succeed(all.slice(0, count ?? all.length))
    })
    const isReached = Effect.sync(() => reachedOf(key) ?? deliveries.size > 0)
    return Effect.succeed({ url, came, until: () => came, isReached })
  }
}

/** The recorded input of the walks that is not in exchanges. */
const recalledIn = (recorded: Recorded, exchanges: ReadonlyArray<Exchange>, halts: Halts): Recalled => {
  const settledOf = taking(
    evidenceOf(recorded, "settled").map(({ value, walk, what }): [string, Json] => [`${walk} ${what}`, value])
  )
  const mostReceived = new Map(evidenceOf(recorded, "halted").map(({ received, walk }) => [walk, received]))
  const unsent = new Map(evidenceOf(recorded, "unsent").map((one) => [keyOf(one), one]))
  return {
    unsent: (walk, step) => {
      const { exchanges: evidence = [], lacks, reason } = unsent.get(keyOf({ walk, step })) ?? {}
      return reason === undefined ? undefined : new Blocked({ reason, exchanges: evidence, ...(lacks && { lacks }) })
    },
    settled: (walk, what) => settledOf(`${walk} ${what}`),
    beforeShared: (walk, received) =>
      received >= (mostReceived.get(walk) ?? Number.POSITIVE_INFINITY) ? halts.halt(walk) : Effect.void,
    // a refusal of the deployment has an exchange
    token: (walk, granted) =>
      halts.isHalted(walk)
        ? Effect.catch(granted, (blocked) => (blocked.exchanges.length === 0 ? halts.halt(walk) : blocked))
        : granted,
    address: addressesIn(recorded, exchanges, halts),
    closedUrl: taking(evidenceOf(recorded, "closed").map(({ url, walk }) => [walk, url]))
  }
}

/** Blocks a walk if the record has no exchange, or another one, at that step. */
const unrecorded = (step: number, other: Exchange | undefined): Blocked =>
  other === undefined
    ? new Blocked({
        reason: `the evidence has no exchange for step ${step} of the walk`,
        exchanges: []
      })
    : new Blocked({
        reason: `the evidence has something else at step ${step} of the walk: ${inWords(other)}`,
        exchanges: [other.number]
      })

/** A recorded run receives nothing new. */
const receiving: Receiving = {
  listen: () => Effect.fail(new Blocked({ reason: "a recorded run receives nothing", exchanges: [] })),
  closed: (name) => Effect.succeed(`https://receiver.invalid/${name}`)
}

/** Replays a recorded run in place of a deployment. Requests get their recorded responses; nothing is sent. */
export const make = Effect.fnUntraced(function* (recorded: Recorded) {
  const { exchanges } = recorded
  const steps = stepsOf(exchanges)
  const halts = yield* haltsOf(recorded)

  /** Token requests may come in another order than recorded, so match them by client. */
  const grant = Effect.fnUntraced(function* (request: Request) {
    const own = exchanges.filter((exchange) => exchange.walk === tokensWalk && isSame(exchange.request, request))
    const granted = own.find(({ answer }) => answer?.status === 200) ?? own.at(-1)
    return granted === undefined ? yield* unrecorded(0, undefined) : granted
  })

  const send: Send = Effect.fnUntraced(function* (walk: string, step: number, { request }: Ready) {
    if (walk === tokensWalk) return yield* grant(request)
    const own = [...(steps.get(walk) ?? [])]
    const here = own.find(([number]) => number === step)?.[1]
    if (own.length === 0) return yield* halts.isHalted(walk) ? halts.halt(walk) : unrecorded(step, undefined)
    const fits = (one: Step) => !one.isTaken && one.exchanges.some((exchange) => isSame(exchange.request, request))
    // concurrent calls may be answered in another order here
    const found = here !== undefined && fits(here) ? here : own.map(([, one]) => one).find(fits)
    const last = found?.exchanges.at(-1)
    if (found !== undefined && last !== undefined) {
      found.isTaken = true
      return last
    }
    const other = here?.exchanges.at(-1)
    return yield* other === undefined && halts.isHalted(walk) ? halts.halt(walk) : unrecorded(step, other)
  })

  const nameOf = taking(evidenceOf(recorded, "name").map(({ number, walk }) => [walk, number]))
  let strange = strangeNames
  return {
    ...halts,
    send,
    receiving,
    recalled: recalledIn(recorded, exchanges, halts),
    nextName: (walk: string) => Effect.sync(() => nameOf(walk) ?? ++strange)
  }
})
