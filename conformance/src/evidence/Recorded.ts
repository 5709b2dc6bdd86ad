import { Schema } from "effect"
import { residueReasons } from "../judgement/Residue.ts"
import { impacts } from "../profile/Impact.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { SecretShape } from "../wire/SecretShape.ts"
import type { Event } from "./Event.ts"
import { Evidence } from "./Evidence.ts"
import { writtenAnswer, writtenExchange, writtenRun } from "./Written.ts"

const texts = Schema.Array(Schema.String)

/** Events that are neither exchanges nor findings: start, evidence, residue and end. */
export const Circumstance = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("run-started"),
    ...writtenRun,
    ceiling: Schema.Literals(impacts),
    seed: Schema.optionalKey(Schema.Int),
    startedAt: Schema.Finite,
    walks: texts,
    only: Schema.NullOr(texts)
  }),
  Schema.Struct({ type: Schema.Literal("evidence"), evidence: Evidence }),
  Schema.Struct({
    type: Schema.Literal("residue"),
    residue: Schema.Struct({ type: Schema.String, name: Schema.String, why: Schema.Literals(residueReasons) })
  }),
  Schema.Struct({
    type: Schema.Literal("run-ended"),
    endedAt: Schema.Finite,
    ending: Schema.Union([
      Schema.Struct({ as: Schema.Literals(["finished", "interrupted"]) }),
      Schema.Struct({ as: Schema.Literal("unreachable"), sentence: Schema.String })
    ])
  })
])
export type Circumstance = typeof Circumstance.Type

const told: ReadonlySet<Event["type"]> = new Set(["run-started", "evidence", "residue", "run-ended"])

export const isCircumstance = (event: Event): event is Circumstance => told.has(event.type)

/** One recorded exchange. Derived fields are computed again from the text of the response. */
export const RecordedLine = Schema.Struct({
  number: Schema.Int,
  lastSent: Schema.Int,
  ...writtenExchange(
    Schema.Struct({
      ...writtenAnswer,
      secrets: Schema.optionalKey(Schema.Record(Schema.String, SecretShape))
    }),
    Schema.Finite
  )
})

/** A recorded run without its findings. */
export interface Recorded {
  readonly circumstances: ReadonlyArray<Circumstance>
  /** In the order of sending. */
  readonly exchanges: ReadonlyArray<Exchange>
}
