/** The labels of a time series. */
type Labels = Readonly<Record<string, string>>

interface Series {
  readonly labels: Labels
  readonly value: number
}

/** The metrics of processes at one time, by name without the prefix `wcs_`. */
export type Samples = ReadonlyMap<string, ReadonlyArray<Series>>

const line = /^wcs_(\w+)(?:\{(.*)\})? (\S+)$/
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g

const labelsOf = (text: string): Labels =>
  Object.fromEntries(Array.from(text.matchAll(label), ([, name = "", value = ""]) => [name, value]))

/** Parses Prometheus's text format, of one process or of several in a row. Other lines are ignored. */
export const parse = (text: string): Samples => {
  const found = text.split("\n").flatMap((row) => {
    const [, name = "", labels = "", value = ""] = line.exec(row) ?? []
    return name === "" ? [] : [{ name, series: { labels: labelsOf(labels), value: Number(value) } }]
  })
  return new Map(
    Array.from(
      Map.groupBy(found, ({ name }) => name),
      ([name, all]) => [name, all.map(({ series }) => series)]
    )
  )
}

/** Whether the metrics are those of a process of ours. */
export const isOfWcs = (text: string): boolean => /^wcs_build_info[{ ]/m.test(text)

const matching = (samples: Samples, name: string, labels: Labels): ReadonlyArray<number> =>
  (samples.get(name) ?? [])
    .filter(({ labels: own }) => Object.entries(labels).every(([key, value]) => own[key] === value))
    .map(({ value }) => value)

/** The sum over all processes of a metric whose series have these labels. */
export const sumOf = (samples: Samples, name: string, labels: Labels = {}): number =>
  matching(samples, name, labels).reduce((sum, value) => sum + value, 0)

/** The largest value. Processes that share a store all report the same backlog. */
export const mostOf = (samples: Samples, name: string, labels: Labels = {}): number =>
  Math.max(0, ...matching(samples, name, labels))

/** The values of a label. */
export const valuesOf = (samples: Samples, name: string, key: string): ReadonlyArray<string> => [
  ...new Set((samples.get(name) ?? []).flatMap(({ labels }) => labels[key] ?? []))
]

/** The counts of a histogram's buckets up to each boundary, over all processes. */
export const bucketsOf = (samples: Samples, name: string): ReadonlyMap<number, number> => {
  const series = samples.get(`${name}_bucket`) ?? []
  const boundaryOf = ({ labels }: Series) => (labels["le"] === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels["le"]))
  return new Map(
    Array.from(Map.groupBy(series, boundaryOf), ([boundary, all]) => [
      boundary,
      all.reduce((sum, { value }) => sum + value, 0)
    ])
  )
}
