import { mkdtempSync, rmSync } from "node:fs"
import { Processes } from "./src/load/Processes.ts"
import { emptyLists, makeFair, stepsOfRoutes, waitDuring } from "./src/measurements/Fairness.ts"

const dir = mkdtempSync("/dev/shm/lists-")
const processes = new Processes(undefined, undefined)
let n = 0
const credentials = Number(process.argv[2] ?? 300000)
try {
  const fair = await makeFair({ place: () => `${dir}/data-${n++}`, processes } as never, {
    rows: 5000,
    credentials,
    crowds: 50,
    crowded: Math.min(60000, credentials)
  })
  for (const path of emptyLists)
    for (let r = 0; r < 3; r++) {
      const { list, longest } = await waitDuring(fair, path)
      console.log(
        path,
        list.status,
        list.text.slice(0, 60),
        "list",
        list.millis.toFixed(0),
        "longest wait",
        longest.toFixed(1),
        "step",
        (await fair.server.steps()).longestMillis.toFixed(1)
      )
    }
  const all = (await stepsOfRoutes(fair, 3)).map((rounds) => ({
    name: rounds[0]!.name,
    status: rounds.map((r) => r.status).join(),
    ms: rounds.map((r) => r.longestMillis).toSorted((a, b) => a - b)[1]!,
    rows: Math.max(...rounds.map((r) => r.rows)),
    chars: Math.max(...rounds.map((r) => r.rowCharacters)),
    parsed: Math.max(...rounds.map((r) => r.parsed)),
    written: Math.max(...rounds.map((r) => r.written))
  }))
  for (const s of all.toSorted((a, b) => b.ms - a.ms))
    console.log(
      s.ms.toFixed(1).padStart(8),
      s.status.padEnd(12),
      String(s.rows).padStart(7),
      String(s.chars).padStart(9),
      String(s.parsed).padStart(9),
      String(s.written).padStart(9),
      s.name
    )
  await fair.server.stop()
} finally {
  processes.kill()
  rmSync(dir, { recursive: true, force: true })
}
