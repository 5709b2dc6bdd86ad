/** Describes the present call: its endpoint, caller, tenant and case, by key. */
export type Place = Readonly<Record<string, string>>

/**
 * Whether the server does something wrong at a point of its code. Always false for a server without a fault. The last
 * place that has a key counts.
 */
export type Hit = (point: string, ...places: ReadonlyArray<Place>) => boolean

/** A server without a fault. */
export const faultless: Hit = () => false
