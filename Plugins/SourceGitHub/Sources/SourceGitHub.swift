// SourceGitHub
