import { Schema } from "effect"
import { Profile } from "../profile/Profile.ts"
import { SecretShape } from "../wire/SecretShape.ts"

/** The evidence version that this release writes and reads. */
export const evidenceVersion = 2

/**
 * The input of a run that is not in exchanges. Both together are enough to judge the run again without the deployment.
 */
export const Evidence = Schema.Union([
  /** The profile, and the handles of its secrets. */
  Schema.Struct({
    of: Schema.Literal("profile"),
    version: Schema.Literal(evidenceVersion),
    profile: Profile,
    secrets: Schema.Record(Schema.String, Schema.Struct({ handle: Schema.String, shape: SecretShape }))
  }),
  /** An address for deliveries that a walk received. */
  Schema.Struct({ of: Schema.Literal("address"), walk: Schema.String, step: Schema.Int, url: Schema.String }),
  /** A walk received no address, with the reason. */
  Schema.Struct({ of: Schema.Literal("deaf"), walk: Schema.String, step: Schema.Int, reason: Schema.String }),
  /** A walk read the first deliveries to an address. */
  Schema.Struct({ of: Schema.Literal("came"), walk: Schema.String, step: Schema.Int, count: Schema.Int }),
  /** A walk asked whether the run received anything at all. */
  Schema.Struct({ of: Schema.Literal("reached"), walk: Schema.String, step: Schema.Int, isReached: Schema.Boolean }),
  /** The URL without deliveries that a walk received. */
  Schema.Struct({ of: Schema.Literal("closed"), walk: Schema.String, url: Schema.String }),
  /** The number of a name that a walk received. */
  Schema.Struct({ of: Schema.Literal("name"), walk: Schema.String, number: Schema.Int }),
  /** A call of a walk was not sent, with the reason. */
  Schema.Struct({
    of: Schema.Literal("unsent"),
    walk: Schema.String,
    step: Schema.Int,
    reason: Schema.String,
    exchanges: Schema.Array(Schema.Int),
    lacks: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  /** A walk was interrupted when the run ended early. */
  Schema.Struct({
    of: Schema.Literal("halted"),
    walk: Schema.String,
    reason: Schema.String,
    lacks: Schema.optionalKey(Schema.Array(Schema.String)),
    /** How many results of shared steps the walk had received. */
    received: Schema.optionalKey(Schema.Int)
  }),
  /** A value that a walk computed from secrets. */
  Schema.Struct({ of: Schema.Literal("settled"), walk: Schema.String, what: Schema.String, value: Schema.Json })
])
export type Evidence = typeof Evidence.Type
