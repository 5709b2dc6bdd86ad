import { Schema } from "effect"
import { Profile } from "../profile/Profile.ts"

/** The version of evidence that this release writes and reads. */
export const evidenceVersion = 1

/** What entered a run beside the exchanges: with both, it is judged again without its deployment. */
export const Evidence = Schema.Union([
  /** What was judged by, with a stand-in for each environment variable that the profile names. */
  Schema.Struct({
    of: Schema.Literal("profile"),
    version: Schema.Literal(evidenceVersion),
    profile: Profile,
    standIns: Schema.Record(Schema.String, Schema.String)
  }),
  /** An answer that shows secrets, with stand-ins for them; exchanges are told without. */
  Schema.Struct({
    of: Schema.Literal("answer"),
    exchange: Schema.Int,
    headers: Schema.Record(Schema.String, Schema.String),
    text: Schema.String
  }),
  /** A delivery that shows secrets, likewise. */
  Schema.Struct({
    of: Schema.Literal("delivery"),
    exchange: Schema.Int,
    url: Schema.String,
    headers: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
    body: Schema.String
  }),
  /** A walk was given an address for deliveries, its so-manieth. */
  Schema.Struct({ of: Schema.Literal("address"), walk: Schema.String, step: Schema.Int, url: Schema.String }),
  /** It was given none, and why. */
  Schema.Struct({ of: Schema.Literal("deaf"), walk: Schema.String, step: Schema.Int, reason: Schema.String }),
  /** A walk looked at what had come to an address: the first so many. */
  Schema.Struct({ of: Schema.Literal("came"), walk: Schema.String, step: Schema.Int, count: Schema.Int }),
  /** A walk asked whether anything had come to the run at all. */
  Schema.Struct({ of: Schema.Literal("reached"), walk: Schema.String, step: Schema.Int, isReached: Schema.Boolean }),
  /** A walk was given a URL at which nothing is taken. */
  Schema.Struct({ of: Schema.Literal("closed"), walk: Schema.String, url: Schema.String }),
  /** A walk was given a name: the run's so-manieth. */
  Schema.Struct({ of: Schema.Literal("name"), walk: Schema.String, number: Schema.Int }),
  /** A walk's call was not sent, and why. */
  Schema.Struct({
    of: Schema.Literal("unsent"),
    walk: Schema.String,
    step: Schema.Int,
    reason: Schema.String,
    exchanges: Schema.Array(Schema.Int)
  }),
  /** A walk was cut short when the run ended early. */
  Schema.Struct({ of: Schema.Literal("halted"), walk: Schema.String, reason: Schema.String }),
  /** What a walk found out about secrets that their stand-ins do not show. */
  Schema.Struct({ of: Schema.Literal("settled"), walk: Schema.String, what: Schema.String, value: Schema.Json })
])
export type Evidence = typeof Evidence.Type
