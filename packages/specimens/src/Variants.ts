import type { Specimen } from "./Specimen.ts"

/** Deployments that keep every rule, and differ from ours where the specification is silent. */
export const variants: ReadonlyArray<Specimen> = []
