#if Live
import Testing
#endif
