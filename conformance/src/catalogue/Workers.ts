import { must, should } from "./Rule.ts"

/** WRK: workers. */
export const workers = [
  must("WRK-01", "§2.2 §4.2").byPair("`POST workers` without `identity.displayName` is 400."),
  must("WRK-02", "§4.2").byAnswers("Creating a worker is 201 with a `Location`, `data` and `meta`."),
  must("WRK-03", "§2.2").byAnswers(
    "The server creates the worker's id, `wkr_<id>`. An id that the caller sends is not used."
  ),
  must("WRK-04", "§2.2").byAnswers("Every create of a worker returns a new id."),
  must("WRK-05", "§4.2").byAnswers(
    "`GET workers?externalId=` finds the worker that was created with that `source.externalId`. A lookup that finds it " +
      "only later is a warning."
  ),
  must("WRK-06", "§4.2").byPair("The `externalId` lookup is exact: prefixes and substrings do not match."),
  must("WRK-07", "§4.2").byPair("A lookup without a match is 200 with an empty `data`."),
  must("WRK-08", "§4.2").byAnswers("`GET workers` returns a list of workers in `data`, and a `meta`."),
  must("WRK-09", "§4.2").byAnswers("`GET workers` returns at most `pageSize` workers."),
  should("WRK-10", "§4.2").byPair("A `pageSize` that is not an integer is 400."),
  should("WRK-11", "§4.2").byAnswers("A worker can be created without a `source.externalId`."),
  must("WRK-12", "§4.2").byAnswers(
    "Creates are not idempotent. A body without `source.externalId` that is sent twice creates two workers. With " +
      "one, the second response never has the first id. (SIL-31.)"
  ),
  must("WRK-13", "§4.2").byAnswers("There is no idempotency-key header. Sending one changes nothing."),
  must("WRK-14", "§2.2").byAnswers(
    "A worker that is created, listed or looked up shows its `id` and its `source.externalId`. (Position: SIL-22.)"
  ),
  should("WRK-15", "§4.2").elsewhere(
    "client library",
    "A client sends a `source.externalId` whenever it creates a worker."
  ),
  should("WRK-16", "§4.2").byPair("The `externalId` lookup is case-sensitive.")
]
