export function texts(): string[];
export function escaped(): string[];
export function catalogues(): { language: string; messages: Record<string, string> }[];
