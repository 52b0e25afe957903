/// The style sheet of the page: system fonts, colours for light and dark, one column on a telephone.
enum HTMLStyle {
    static let sheet = HTML([variables, page, parts, tables, charts, print])

    private static let variables = HTML(
        literal: """
            :root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --ink: #16191d; --pale: #555d68;
              --line: #dfe3e8; --good: #0a6b3d; --wrong: #b3161f; --wrong-page: #fdecec; --whisker: #16191d;
              --c0: #1767ad; --c1: #c2500c; --c2: #0c7a6c; --c3: #a3246b; --c4: #6a4fc0; --c5: #66700a; --c6: #8a5a00;
              --c7: #4a5666; }
            @media (prefers-color-scheme: dark) {
              :root { --page: #121519; --card: #1b2026; --ink: #eef1f4; --pale: #a7b0bb; --line: #343b45;
                --good: #5fd39a; --wrong: #ff8f8f; --wrong-page: #3a1a1d; --whisker: #f6f8fa;
                --c0: #5aa7ea; --c1: #f5915a; --c2: #3fc2ae; --c3: #ee82b5; --c4: #ab97f5; --c5: #bcc846; --c6: #dba94b;
                --c7: #9fabbb; } }
            """)

    private static let page = HTML(
        literal: """
            * { box-sizing: border-box; }
            body { margin: 0 auto; max-width: 1180px; padding: 2.5rem 1.25rem 3rem; background: var(--page);
              color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
              overflow-wrap: anywhere; }
            h1 { margin: 0; font-size: 2rem; line-height: 1.2; letter-spacing: -0.02em; }
            h2 { margin: 3rem 0 0.25rem; font-size: 1.3rem; letter-spacing: -0.01em; }
            h3 { margin: 0; font-size: 1rem; }
            p { margin: 0; }
            .setup, .note, .summary, footer { color: var(--pale); }
            .setup { margin-top: 0.4rem; }
            a { color: var(--c0); }
            nav ul { display: flex; flex-wrap: wrap; gap: 0.3rem 1.2rem; list-style: none; margin: 1.1rem 0 0;
              padding: 0; }
            .note { max-width: 48rem; margin-bottom: 1rem; }
            .summary { font-size: 0.85rem; line-height: 1.35; margin: 0.1rem 0 0.9rem; }
            footer { margin-top: 3rem; font-size: 0.85rem; }
            """)

    private static let parts = HTML(
        literal: """
            .legend { display: flex; flex-wrap: wrap; gap: 0.4rem 1.4rem; list-style: none; margin: 1.1rem 0 0;
              padding: 0;
              font-weight: 600; }
            section .legend { margin: 0 0 1rem; font-weight: 400; }
            .key { width: 0.8em; height: 0.8em; margin-right: 0.45em; vertical-align: -0.04em; }
            .findings { margin: 0.75rem 0 0; padding: 1.1rem 1.25rem 1.1rem 2.4rem; background: var(--card);
              border: 1px solid var(--line); border-radius: 10px; }
            .findings li + li { margin-top: 0.45rem; }
            .cards { display: grid; gap: 1rem;
              grid-template-columns: repeat(auto-fill, minmax(min(100%, 330px), 1fr)); }
            .card { min-width: 0; padding: 1rem 1.1rem 0.9rem; background: var(--card); border: 1px solid var(--line);
              border-radius: 10px; display: flex; flex-direction: column; }
            .card > svg { margin-top: auto; }
            .alert { margin-top: 0.75rem; padding: 0.9rem 1.1rem; background: var(--wrong-page);
              border: 1px solid var(--wrong); border-left-width: 6px; border-radius: 8px; }
            .alert strong { color: var(--wrong); }
            dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: 0.25rem 1.25rem;
              margin: 0.75rem 0 1.25rem; }
            .alert dl { margin-bottom: 0; }
            dt { color: var(--pale); }
            dd { margin: 0; min-width: 0; }
            details { margin-top: 1.25rem; }
            summary { cursor: pointer; font-weight: 600; }
            """)

    private static let tables = HTML(
        literal: """
            .scroll { overflow-x: auto; margin-top: 1rem; background: var(--card); border: 1px solid var(--line);
              border-radius: 10px; }
            .scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--c0); outline-offset: 2px; }
            table { width: 100%; border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums;
              overflow-wrap: normal; }
            caption { text-align: left; font-weight: 600; padding: 0.7rem 0.9rem 0.3rem; }
            th, td { padding: 0.32rem 0.9rem; text-align: left; white-space: nowrap; }
            th { color: var(--pale); font-weight: 600; border-bottom: 1px solid var(--line); }
            tbody tr + tr td { border-top: 1px solid var(--line); }
            .number { text-align: right; }
            .best { color: var(--good); font-weight: 600; }
            td.subject { max-width: 18rem; overflow: hidden; text-overflow: ellipsis; }
            """)

    private static let charts = HTML(
        literal: """
            .card > svg { display: block; width: 100%; height: auto; }
            svg text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
              fill: var(--ink);
              unicode-bidi: isolate; font-variant-numeric: tabular-nums; }
            svg .name { font-weight: 600; }
            svg .aside, svg .tick { fill: var(--pale); }
            svg .aside, svg .value { font-size: 12px; }
            svg .tick { font-size: 11px; }
            svg .good { fill: var(--good); font-weight: 600; }
            svg .wrong { fill: var(--wrong); font-weight: 600; }
            svg .halo { paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; }
            .end { text-anchor: end; }
            .middle { text-anchor: middle; }
            .grid, .base { stroke: var(--line); stroke-width: 1; }
            .whisker { stroke: var(--whisker); stroke-width: 1.3; }
            .p50, .p99 { stroke: var(--whisker); stroke-width: 1.5; }
            .p99 { stroke-dasharray: 3 3; }
            .area { fill-opacity: 0.55; }
            .mark { stroke: var(--card); stroke-width: 1; }
            .key .mark { stroke: none; }
            .course { fill: none; stroke-width: 2; }
            .reference { fill: none; stroke: var(--pale); stroke-width: 1.5; stroke-dasharray: 1.5 4;
              stroke-linecap: round; }
            .hollow { fill: none; stroke-width: 1.5; stroke-dasharray: 4 3; }
            .f0 { fill: var(--c0); } .f1 { fill: var(--c1); } .f2 { fill: var(--c2); } .f3 { fill: var(--c3); }
            .f4 { fill: var(--c4); } .f5 { fill: var(--c5); } .f6 { fill: var(--c6); } .f7 { fill: var(--c7); }
            .l0 { stroke: var(--c0); } .l1 { stroke: var(--c1); } .l2 { stroke: var(--c2); } .l3 { stroke: var(--c3); }
            .l4 { stroke: var(--c4); } .l5 { stroke: var(--c5); } .l6 { stroke: var(--c6); } .l7 { stroke: var(--c7); }
            """)

    private static let print = HTML(
        literal: """
            @media (max-width: 480px) {
              body { padding: 1.5rem 1rem 2rem; }
              h1 { font-size: 1.6rem; }
              dl { grid-template-columns: 1fr; gap: 0; }
              dd { margin-bottom: 0.5rem; } }
            @media print {
              :root { --page: #fff; }
              body { max-width: none; padding: 0; font-size: 10pt; print-color-adjust: exact;
                -webkit-print-color-adjust: exact; }
              .cards { grid-template-columns: repeat(2, 1fr); }
              .card, .alert, tr { break-inside: avoid; }
              h2, h3 { break-after: avoid; }
              .scroll { overflow: visible; border: none; }
              table { font-size: 7pt; }
              th, td { padding: 0.15rem 0.3rem; white-space: normal; }
              details::details-content { content-visibility: visible; } }
            """)
}
