import type { KillRate } from "@wcs/conformance/release/Counts"

/**
 * The ways in which a rate is worse than the recorded one, one sentence each. In an area with other faults than before,
 * new survivors are allowed.
 */
export const worsenings = (rate: KillRate, recorded: KillRate): ReadonlyArray<string> => [
  ...rate.falseAlarms.map((alarm) => `stranger: false alarm on the server without a fault: ${alarm}`),
  ...rate.areas.flatMap(({ area, faults, survivors }) => {
    const before = recorded.areas.find((one) => one.area === area)
    if (before === undefined || before.faults !== faults) return []
    const known = new Set(before.survivors)
    return survivors.filter((name) => !known.has(name)).map((name) => `stranger: survives now: ${name}`)
  })
]
