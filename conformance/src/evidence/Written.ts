import { Schema } from "effect"
import { kinds, silences } from "../wire/Exchange.ts"

/** What is written down of an answer, in recordings and in reports. */
export const writtenAnswer = {
  status: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.String),
  text: Schema.String
}

/** What is written down of an exchange beside its number: its answer, and when it began, as whoever writes has them. */
export const writtenExchange = <Answer extends Schema.Top, Moment extends Schema.Top>(
  answer: Answer,
  startedAt: Moment
) => ({
  walk: Schema.String,
  step: Schema.Int,
  kind: Schema.Literals(kinds),
  principal: Schema.NullOr(Schema.String),
  request: Schema.Struct({
    method: Schema.String,
    url: Schema.String,
    headers: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
    body: Schema.String
  }),
  answer: Schema.NullOr(answer),
  silence: Schema.NullOr(Schema.Literals(silences)),
  startedAt,
  millis: Schema.Finite
})

/** What is written down of a run's target and of how the run began. */
export const writtenRun = {
  run: Schema.String,
  suiteVersion: Schema.String,
  catalogueDigest: Schema.String,
  profile: Schema.String,
  deployment: Schema.Struct({
    product: Schema.optionalKey(Schema.String),
    version: Schema.optionalKey(Schema.String),
    contact: Schema.optionalKey(Schema.String)
  }),
  target: Schema.String
}
