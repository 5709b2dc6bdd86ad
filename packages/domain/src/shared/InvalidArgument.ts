import { Data, Option, Result, Schema } from "effect"
import { excerptOf, type Fault, faultsOf } from "../resource/SchemaFaults.ts"

/** Parts of the request that are missing, malformed or not allowed (§7.1, 400). */
export class InvalidArgument extends Data.TaggedError("InvalidArgument")<
  Fault & {
    /** The other wrong fields. */
    readonly others?: ReadonlyArray<Fault>
    /** More fields are wrong than the refusal names. */
    readonly isCut?: true
    /** The bodies that the call accepts. */
    readonly shapes?: ReadonlyArray<string>
  }
> {}

/** A body that is no JSON at all, or JSON beyond the limits of depth. */
export class MalformedBody extends Data.TaggedError("MalformedBody")<{ readonly reason: string }> {}

/** An identifier that must be a URN and is none. */
export class InvalidUrn extends Data.TaggedError("InvalidUrn")<{ readonly field: string }> {}

/** The most fields that one refusal names. */
export const namedMax = 20

// A list of words that is cut must not look like a whole one.
const shortened = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`

const bounded = ({ field, reason }: Fault): Fault => ({
  field: shortened(field, 200),
  reason: shortened(reason, 1000)
})

/** Where the decoded value is in the request. */
export interface Decoding {
  /** The path of the decoded value in the request, for the names of fields. */
  readonly within?: string
  /** The bodies that the call accepts, if the refusal should show them. */
  readonly shapes?: ReadonlyArray<string>
}

const refusalOf = (faults: ReadonlyArray<Fault>, { shapes, within = "" }: Decoding): InvalidArgument => {
  const distinct = [...Map.groupBy(faults, ({ field }) => field).values()].flatMap((alike) => alike.slice(0, 1))
  const [first = { field: within, reason: "is not valid" }, ...others] = distinct.slice(0, namedMax).map(bounded)
  return new InvalidArgument({
    ...first,
    ...(others.length === 0 ? {} : { others }),
    ...(distinct.length > namedMax ? { isCut: true } : {}),
    ...(shapes === undefined ? {} : { shapes })
  })
}

/** The wrong fields that a schema found. */
export const fromSchemaError = (error: Schema.SchemaError, decoding: Decoding = {}): InvalidArgument =>
  refusalOf(faultsOf(error, decoding.within), decoding)

/**
 * Decodes a value, or fails with every wrong field. A fault is slow to report, so the first pass stops at the first one.
 * The second pass collects the others from the first items of each array.
 */
export const decodeArgument = <A, I>(schema: Schema.Codec<A, I>, decoding: Decoding = {}) => {
  const decode = Schema.decodeUnknownResult(schema)
  const decodeAll = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (value: unknown): Result.Result<A, InvalidArgument> =>
    Result.mapError(decode(value), (error) => {
      const all = Option.toArray(Result.getFailure(decodeAll(excerptOf(schema.ast, value, namedMax + 1))))
      // The excerpt lacks a fault in a later item or in the length of an array.
      const faults = [...all, error].flatMap((each) => faultsOf(each, decoding.within))
      return refusalOf(faults, decoding)
    })
}
