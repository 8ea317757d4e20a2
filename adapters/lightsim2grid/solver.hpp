/* warplu as a linear solver of lightsim2grid: what its power flows ask of one, for real matrices by columns with indices
 * of 32 bits. All solvers of the process come from one cache by pattern, so that a grid that is analyzed again, or by
 * another thread, begins with the program that it has.
 *
 * With WARPLU_CHECK_REPLAYS the power flow judges the solutions, by the mismatch of the next step of Newton's method.
 * Other solutions that are short of what a success promises are refused. */
#ifndef WLU_ADAPTERS_LIGHTSIM2GRID_SOLVER_HPP
#define WLU_ADAPTERS_LIGHTSIM2GRID_SOLVER_HPP

#include <Utils.hpp>

#include <warplu/cache.h>

/* NULL where there was no memory for it; the open that follows says so. */
inline warplu_cache *wlu_process_cache()
{
    static warplu_cache *const cache = [] {
        warplu_cache *made = nullptr;
        warplu_cache_create(&made, nullptr);
        return made;
    }();
    return cache;
}

template <warplu_check check> class WarpluLinearSolver final
{
  public:
    static constexpr bool CAN_SOLVE_MAT = false;
    static constexpr bool CAN_SOLVE_TRANSPOSE = true;

    WarpluLinearSolver() noexcept = default;
    ~WarpluLinearSolver() noexcept
    {
        warplu_close_solver(&solver);
    }
    WarpluLinearSolver(const WarpluLinearSolver &) = delete;
    WarpluLinearSolver &operator=(const WarpluLinearSolver &) = delete;

    ls2g::ErrorType reset()
    {
        warplu_close_solver(&solver);
        return ls2g::ErrorType::NoError;
    }

    ls2g::ErrorType analyze(const ls2g::EigenRefConstRealSpMat &a)
    {
        warplu_options options;
        reset();
        if (!a.isCompressed() || a.rows() != a.cols()) return ls2g::ErrorType::SolverAnalyze;
        warplu_init_options(&options);
        options.check = check;
        n = static_cast<int32_t>(a.rows());
        nnz = a.nonZeros();
        return error_of(warplu_open_solver(&solver, wlu_process_cache(), &options, n, a.outerIndexPtr(),
                                           a.innerIndexPtr(), nullptr),
                        ls2g::ErrorType::SolverAnalyze);
    }

    ls2g::ErrorType factorize(const ls2g::EigenRefConstRealSpMat &a)
    {
        return refactor(a, ls2g::ErrorType::SolverFactor);
    }

    ls2g::ErrorType refactorize(const ls2g::EigenRefConstRealSpMat &a)
    {
        return refactor(a, ls2g::ErrorType::SolverReFactor);
    }

    ls2g::ErrorType solve(Eigen::Ref<ls2g::RealVect> b)
    {
        return solve_by(warplu_solve, b);
    }

    ls2g::ErrorType solve_transpose(Eigen::Ref<ls2g::RealVect> b)
    {
        return solve_by(warplu_solve_transposed, b);
    }

  private:
    warplu_solver *solver = nullptr;
    int32_t n = 0;
    Eigen::Index nnz = 0;

    static ls2g::ErrorType error_of(warplu_status status, ls2g::ErrorType other)
    {
        if (status >= 0) return ls2g::ErrorType::NoError;
        if (status == WARPLU_SINGULAR || status == WARPLU_STRUCTURALLY_SINGULAR)
            return ls2g::ErrorType::SingularMatrix;
        return status == WARPLU_NOT_FINITE ? ls2g::ErrorType::InifiniteValue : other;
    }

    /* Factors where there are no pivots yet. */
    ls2g::ErrorType refactor(const ls2g::EigenRefConstRealSpMat &a, ls2g::ErrorType other)
    {
        if (solver == nullptr) return ls2g::ErrorType::NotInitError;
        if (!a.isCompressed() || a.cols() != n || a.nonZeros() != nnz) return other;
        return error_of(warplu_refactor(solver, a.valuePtr()), other);
    }

    template <class Call> ls2g::ErrorType solve_by(Call call, Eigen::Ref<ls2g::RealVect> &b)
    {
        if (solver == nullptr) return ls2g::ErrorType::NotInitError;
        if (b.size() != n) return ls2g::ErrorType::SolverSolve;
        warplu_status status = call(solver, 1, b.data(), n, b.data(), n);
        if (status == WARPLU_INACCURATE && check != WARPLU_CHECK_REPLAYS) return ls2g::ErrorType::SolverSolve;
        return error_of(status, ls2g::ErrorType::SolverSolve);
    }
};

#endif
