import { assert } from "@effect/vitest"
import { judgeOver, type Options } from "@wcs/conformance/engine/Conformance"
import type { Event } from "@wcs/conformance/evidence/Event"
import * as Journal from "@wcs/conformance/evidence/Journal"
import { isCircumstance, type Recorded } from "@wcs/conformance/evidence/Recorded"
import type { Report } from "@wcs/conformance/report/Report"
import { reportOf } from "@wcs/conformance/report/Reporting"
import { Receiver } from "@wcs/conformance/wire/Receiver"
import { Wire } from "@wcs/conformance/wire/Wire"
import type { Target } from "@wcs/specimen/target/Target"
import { Effect, Layer, Stream } from "effect"
import { environmentOf } from "./Specimen.ts"

type More = Pick<Options, "only" | "stop"> & { readonly told?: (event: Event) => Effect.Effect<void> }

/** All events of a full run against a specimen. */
export const eventsOf = Effect.fnUntraced(function* ({ profile, receiver, secrets, serve }: Target, more: More = {}) {
  const { told = () => Effect.void, ...options } = more
  const environment = environmentOf(secrets)
  const events: Array<Event> = []
  yield* judgeOver({ profile, environment, ...options }).pipe(
    Stream.runForEach((event) => {
      events.push(event)
      return told(event)
    }),
    Effect.provideService(Receiver, receiver),
    Effect.provide(Layer.merge(Layer.succeed(Wire, Wire.of({ send: serve })), Journal.layerMemory()))
  )
  return events
})

/** The recording of a run: all events but the findings. */
export const recordedIn = (events: ReadonlyArray<Event>): Recorded => ({
  circumstances: events.filter(isCircumstance),
  exchanges: events.flatMap((event) => (event.type === "exchange" ? [event.exchange] : []))
})

/** The report of a run. */
export const reportIn = (events: ReadonlyArray<Event>): Report => reportOf(events) ?? assert.fail("no run was started")
