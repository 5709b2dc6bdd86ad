import { Schema } from "effect"
import { kinds, silences } from "../wire/Exchange.ts"

/** The recorded parts of a response, in records and reports. */
export const writtenAnswer = {
  status: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.String),
  text: Schema.String
}

/** The recorded parts of an exchange. The caller passes the schemas of the response and of the start time. */
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

/** The recorded parts of a run's target and start. */
export const writtenRun = {
  run: Schema.String,
  suite: Schema.optionalKey(Schema.String.annotate({ description: "The command that runs the suite." })),
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
