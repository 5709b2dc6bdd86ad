/** A fault of the suite's own, in a line. */
export const defectInWords = (defect: unknown): string =>
  defect instanceof Error ? `${defect.name}: ${defect.message}` : String(defect)
