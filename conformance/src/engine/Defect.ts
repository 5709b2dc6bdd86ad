/** Describes a fault of the suite in one line. */
export const defectInWords = (defect: unknown): string =>
  defect instanceof Error ? `${defect.name}: ${defect.message}` : String(defect)
